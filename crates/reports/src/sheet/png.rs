//! An SVG picture of ours as pixels.

use crate::format::WriteError;
use resvg::{
    tiny_skia::{Pixmap, Transform},
    usvg::{Options, Tree, fontdb::Database},
};
use std::sync::Arc;

/// Pixels per unit of the drawing, so that text stays sharp on a screen with many pixels.
const SCALE: f32 = 2.0;
/// Families for text, the first that the machine has.
const FAMILIES: [&str; 6] = ["Arial", "Helvetica", "Liberation Sans", "DejaVu Sans", "Noto Sans", "Open Sans"];

/// Returns the picture as PNG.
///
/// # Errors
/// The machine has no fonts, or the picture is too large.
pub(super) fn png(svg: &str) -> Result<Vec<u8>, WriteError> {
    let mut fonts = Database::new();
    fonts.load_system_fonts();
    let has = |family: &&&str| fonts.faces().any(|face| face.families.iter().any(|(name, _)| name == **family));
    let any = || fonts.faces().find_map(|face| face.families.first().map(|(name, _)| name.clone()));
    let family = FAMILIES.iter().find(has).map(|family| (*family).to_owned()).or_else(any).ok_or(WriteError::NoFont)?;
    fonts.set_sans_serif_family(family);
    let options = Options { fontdb: Arc::new(fonts), ..Options::default() };
    let drawn = |error: String| WriteError::Png(error);
    let tree = Tree::from_str(svg, &options).map_err(|error| drawn(error.to_string()))?;
    let size = tree.size().to_int_size().scale_by(SCALE);
    let too_large = || drawn("it is too large: choose a chart with --chart".to_owned());
    let size = size.ok_or_else(too_large)?;
    let mut pixels = Pixmap::new(size.width(), size.height()).ok_or_else(too_large)?;
    resvg::render(&tree, Transform::from_scale(SCALE, SCALE), &mut pixels.as_mut());
    pixels.encode_png().map_err(|error| drawn(error.to_string()))
}
