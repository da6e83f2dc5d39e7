//! `dbdyno attach`: back to screens that went on without their terminal.

use super::{
    args::Places,
    error::CliError,
    output::print,
    screens::{has_terminal, shown},
};
use crate::tui::attach::{Server, servers};
use clap::Args;
use dbdyno_foundation::base::units::plain;
use dbdyno_reports::command::shell;
use std::process::ExitCode;

/// `dbdyno attach`.
#[derive(Debug, Args)]
pub(super) struct AttachArgs {
    /// Which one, where there are several: its number in --list.
    name: Option<String>,
    /// List those that there are.
    #[arg(long, conflicts_with = "name")]
    list: bool,
}

pub(super) fn attach(places: &Places, args: &AttachArgs) -> Result<ExitCode, CliError> {
    let servers = servers();
    if args.list {
        return print(&servers.iter().map(line).collect::<String>());
    }
    if !has_terminal() {
        return Err(CliError::Usage("screens need a terminal: `dbdyno attach --list` lists them".to_owned()));
    }
    let server = match &args.name {
        Some(name) => servers.iter().find(|server| server.name == *name).ok_or_else(|| unknown(name, &servers))?,
        None => only(&servers).ok_or_else(|| none_or_several(places, &servers))?,
    };
    shown(server.connect().map_err(|error| CliError::Failed(format!("dbdyno {}: {error}", server.name)))?)
}

/// The one that is meant without a name: the only one, or the only one without a terminal.
fn only(servers: &[Server]) -> Option<&Server> {
    if let [server] = servers {
        return Some(server);
    }
    let mut alone = servers.iter().filter(|server| !server.description.attached);
    alone.next().filter(|_| alone.next().is_none())
}

fn line(server: &Server) -> String {
    let attached = if server.description.attached { "in a terminal" } else { "without a terminal" };
    let under_way = server.description.under_way.as_deref().unwrap_or("nothing is measured");
    format!("{:<8} {attached:<18}  {}\n", server.name, plain(under_way))
}

fn unknown(name: &str, servers: &[Server]) -> CliError {
    let known = match servers {
        [] => "there is none at all".to_owned(),
        servers => {
            let names: Vec<&str> = servers.iter().map(|server| server.name.as_str()).collect();
            format!("expected one of {}", names.join(", "))
        }
    };
    CliError::Usage(format!("`{}` is no dbdyno with screens: {known}", plain(name)))
}

fn none_or_several(places: &Places, servers: &[Server]) -> CliError {
    if servers.is_empty() {
        let last = last_session(places).unwrap_or_else(|| "`dbdyno` starts one".to_owned());
        return CliError::Failed(format!("no dbdyno with screens is there to return to; {last}"));
    }
    let lines: String = servers.iter().map(line).collect();
    CliError::Usage(format!("there are several, say which, as in `dbdyno attach {}`:\n{lines}", servers[0].name))
}

/// How the last session ended, and what shows it.
fn last_session(places: &Places) -> Option<String> {
    let store = places.settled().ok().filter(|store| store.exists())?;
    let last = "SELECT session_id::VARCHAR, suite, status, strftime(started_at, '%Y-%m-%d %H:%M') FROM session
        ORDER BY started_at DESC NULLS LAST LIMIT 1";
    let found = store.query(last, &[]).ok()?;
    let [Some(id), Some(suite), Some(status), begun] = found.rows.get(0)?.first() else { return None };
    let begun = begun.map_or_else(String::new, |begun| format!(" of {begun} UTC"));
    let words = ["dbdyno", "results", &format!("session={id}")].map(str::to_owned);
    let command = shell(words.into_iter().chain(places.arguments()));
    Some(format!("the last session, {suite}{begun}, is {status}: `{command}` shows it"))
}
