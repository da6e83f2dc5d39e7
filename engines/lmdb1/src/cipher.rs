//! Page encryption: an authenticated cipher with page and transaction number as nonce.
//!
//! LMDB leaves the first 16 bytes of a page in the clear, its page number and the number of the transaction that wrote
//! it. No page is written twice by one transaction (but for transactions of more than half a gigabyte, which write out pages
//! early), so the two numbers make a nonce that no other page has; both are authenticated too. The tag is kept at the end
//! of the page.

use crate::{chunks::Chunks, key::EncryptionKey};
use aes_gcm::{
    AeadInOut, Aes256Gcm, KeyInit,
    aead::{Nonce, Tag, inout::InOutBuf},
};
use chacha20poly1305::ChaCha20Poly1305;
use lmdb_master3_sys::MDB_val;
use std::{ffi::c_int, fmt, ptr};

pub(crate) const TAG_BYTES: usize = 16;
/// Bytes of a page in the clear: its number and its transaction's.
const NUMBERS: usize = 16;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Algorithm {
    /// ChaCha20 with Poly1305 (RFC 8439).
    ChaCha20Poly1305,
    /// AES with 256 bits in Galois/counter mode.
    Aes256Gcm,
}

impl Algorithm {
    /// The word used in options.
    pub const fn word(self) -> &'static str {
        match self {
            Self::ChaCha20Poly1305 => "chacha20poly1305",
            Self::Aes256Gcm => "aes256gcm",
        }
    }

    /// The algorithm of a word; none for `off`.
    pub fn from_word(word: &str) -> Option<Self> {
        [Self::ChaCha20Poly1305, Self::Aes256Gcm].into_iter().find(|algorithm| algorithm.word() == word)
    }
}

/// A cipher with its key, ready to use: what the key gives is computed once and not for each page.
pub struct Cipher {
    ready: Ready,
    /// What LMDB has had decrypted.
    pub(crate) chunks: Chunks,
}

enum Ready {
    ChaCha20Poly1305(Box<ChaCha20Poly1305>),
    Aes256Gcm(Box<Aes256Gcm>),
}

impl fmt::Debug for Cipher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Cipher").field(&self.algorithm()).finish()
    }
}

/// A page does not have the tag that its content and this key give.
struct Forged;

impl Cipher {
    pub fn new(algorithm: Algorithm, key: &EncryptionKey) -> Self {
        let ready = match algorithm {
            Algorithm::ChaCha20Poly1305 => Ready::ChaCha20Poly1305(Box::new(ChaCha20Poly1305::new(key.bytes().into()))),
            Algorithm::Aes256Gcm => Ready::Aes256Gcm(Box::new(Aes256Gcm::new(key.bytes().into()))),
        };
        Self { ready, chunks: Chunks::default() }
    }

    pub fn algorithm(&self) -> Algorithm {
        match self.ready {
            Ready::ChaCha20Poly1305(_) => Algorithm::ChaCha20Poly1305,
            Ready::Aes256Gcm(_) => Algorithm::Aes256Gcm,
        }
    }

    fn seal(&self, numbers: &[u8; NUMBERS], page: InOutBuf<'_, '_, u8>) -> Result<[u8; TAG_BYTES], Forged> {
        match &self.ready {
            Ready::ChaCha20Poly1305(cipher) => seal(&**cipher, numbers, page),
            Ready::Aes256Gcm(cipher) => seal(&**cipher, numbers, page),
        }
    }

    fn open(&self, numbers: &[u8; NUMBERS], page: InOutBuf<'_, '_, u8>, tag: [u8; TAG_BYTES]) -> Result<(), Forged> {
        match &self.ready {
            Ready::ChaCha20Poly1305(cipher) => open(&**cipher, numbers, page, tag),
            Ready::Aes256Gcm(cipher) => open(&**cipher, numbers, page, tag),
        }
    }
}

/// The nonce of a page: the lower 48 bits of its number and of its transaction's, little-endian. A map of 64 TiB has
/// fewer pages than that.
fn nonce(numbers: &[u8; NUMBERS]) -> [u8; 12] {
    let mut nonce = [0; 12];
    nonce[..6].copy_from_slice(&numbers[..6]);
    nonce[6..].copy_from_slice(&numbers[8..14]);
    nonce
}

fn seal<C>(cipher: &C, numbers: &[u8; NUMBERS], page: InOutBuf<'_, '_, u8>) -> Result<[u8; TAG_BYTES], Forged>
where
    C: AeadInOut,
    Nonce<C>: From<[u8; 12]>,
    [u8; TAG_BYTES]: From<Tag<C>>,
{
    cipher.encrypt_inout_detached(&nonce(numbers).into(), numbers, page).map(Into::into).map_err(|_| Forged)
}

fn open<C>(cipher: &C, numbers: &[u8; NUMBERS], page: InOutBuf<'_, '_, u8>, tag: [u8; TAG_BYTES]) -> Result<(), Forged>
where
    C: AeadInOut,
    Nonce<C>: From<[u8; 12]>,
    Tag<C>: From<[u8; TAG_BYTES]>,
{
    cipher.decrypt_inout_detached(&nonce(numbers).into(), numbers, page, &tag.into()).map_err(|_| Forged)
}

/// What LMDB is to keep as the key: the address of the ready cipher.
pub(crate) fn address(cipher: &Cipher) -> [u8; size_of::<usize>()] {
    ptr::from_ref(cipher).expose_provenance().to_ne_bytes()
}

/// What LMDB calls to encrypt (`encrypts` is 1) a page that it writes, and to decrypt (0) one that it reads. 0: done.
///
/// # Safety
/// `key` is three values: the [`address`] of a living cipher, the page's 16 bytes in the clear, and the tag. `from` and `to`
/// are pages of one length that do not overlap.
#[expect(unsafe_code, reason = "called by C with pointers to pages")]
pub(crate) unsafe extern "C" fn encrypt(
    from: *const MDB_val,
    to: *mut MDB_val,
    key: *const MDB_val,
    encrypts: c_int,
) -> c_int {
    // SAFETY: as above. What is written to may not be initialised, and so is not made a slice here.
    let done = unsafe {
        let [address, numbers, tag] = &*key.cast::<[MDB_val; 3]>();
        let address = usize::from_ne_bytes(address.mv_data.cast::<[u8; size_of::<usize>()]>().read_unaligned());
        let cipher = &*ptr::with_exposed_provenance::<Cipher>(address);
        let numbers = &*numbers.mv_data.cast::<[u8; NUMBERS]>();
        let tag = tag.mv_data.cast::<[u8; TAG_BYTES]>();
        let page = InOutBuf::from_raw((*from).mv_data.cast(), (*to).mv_data.cast(), (*from).mv_size);
        if encrypts == 1 {
            cipher.seal(numbers, page).map(|sealed| tag.write_unaligned(sealed))
        } else {
            let [page_number, ..] = numbers.as_chunks::<8>().0 else { return 1 };
            cipher.chunks.touch(u64::from_ne_bytes(*page_number));
            cipher.open(numbers, page, tag.read_unaligned())
        }
    };
    c_int::from(done.is_err())
}
