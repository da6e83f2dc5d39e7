//! Page encryption: an authenticated cipher, with its tag and its nonce at the end of each page.
//!
//! LMDB leaves the first 16 bytes of a page in the clear: its number and the number of the transaction that wrote it. Both are
//! authenticated, and not used before that. They cannot serve as a nonce: after a crash the next transaction has the number of the lost
//! one, and writes other content to the same pages.

use crate::{
    chunks::Chunks,
    damage::{self, Proof},
    key::EncryptionKey,
    long,
    nonce::{NONCE_BYTES, Nonce, Nonces},
};
use aes_gcm::{
    AeadInOut, Aes256Gcm, KeyInit,
    aead::{self, Tag, inout::InOutBuf},
};
use chacha20poly1305::ChaCha20Poly1305;
use dbdyno_engine::{EngineError, counters::EngineCounters};
use lmdb_master3_sys::MDB_val;
use std::{collections::BTreeMap, ffi::c_int, fmt, ptr, slice};

const TAG_BYTES: usize = 16;
pub(crate) const SEAL_BYTES: usize = TAG_BYTES + NONCE_BYTES;
/// The stored part of an encryption: the tag, then the nonce.
pub(crate) type Seal = [u8; SEAL_BYTES];
/// Bytes of a page in the clear: its number and its transaction's.
const NUMBERS: usize = 16;

const PAGES_ENCRYPTED: &str = "pages_encrypted";
const PAGES_DECRYPTED: &str = "pages_decrypted";

/// Returns the meaning of each counter, by name.
pub(crate) fn described() -> BTreeMap<String, String> {
    let counters = [
        (PAGES_ENCRYPTED, "with encrypt: pages encrypted for a write, a value of several pages as one"),
        (PAGES_DECRYPTED, "with encrypt: pages decrypted after a read, a value of several pages as one"),
    ];
    counters.map(|(name, about)| (name.to_owned(), about.to_owned())).into()
}

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

    /// Returns the algorithm for an option's value; `None` for `off`.
    pub fn from_word(word: &str) -> Option<Self> {
        [Self::ChaCha20Poly1305, Self::Aes256Gcm].into_iter().find(|algorithm| algorithm.word() == word)
    }
}

/// A cipher with its key, ready to use: values that depend only on the key are computed once, not for each page.
pub struct Cipher {
    ready: Ready,
    nonces: Nonces,
    /// The chunks of pages that LMDB has decrypted.
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

/// The error for a page whose tag does not match its content and this key, or if no nonce is left.
pub(crate) struct CipherError;

impl Cipher {
    /// Creates a cipher from an algorithm and a key, for one opening of a database.
    pub fn new(algorithm: Algorithm, key: &EncryptionKey) -> Result<Self, EngineError> {
        let ready = match algorithm {
            Algorithm::ChaCha20Poly1305 => Ready::ChaCha20Poly1305(Box::new(ChaCha20Poly1305::new(key.bytes().into()))),
            Algorithm::Aes256Gcm => Ready::Aes256Gcm(Box::new(Aes256Gcm::new(key.bytes().into()))),
        };
        Ok(Self { ready, nonces: Nonces::new()?, chunks: Chunks::default() })
    }

    /// Returns how many pages were encrypted and decrypted since the database was opened.
    pub(crate) fn counters(&self) -> EngineCounters {
        EngineCounters::of_database([
            (PAGES_ENCRYPTED, self.nonces.given()),
            (PAGES_DECRYPTED, self.chunks.decrypted()),
        ])
    }

    pub fn algorithm(&self) -> Algorithm {
        match self.ready {
            Ready::ChaCha20Poly1305(_) => Algorithm::ChaCha20Poly1305,
            Ready::Aes256Gcm(_) => Algorithm::Aes256Gcm,
        }
    }

    /// Encrypts a content, and authenticates it together with the bytes `in_clear`.
    pub(crate) fn seal(&self, in_clear: &[u8], content: InOutBuf<'_, '_, u8>) -> Result<Seal, CipherError> {
        let nonce = self.nonces.give().ok_or(CipherError)?;
        let tag = match &self.ready {
            Ready::ChaCha20Poly1305(cipher) => encrypted(&**cipher, nonce, in_clear, content),
            Ready::Aes256Gcm(cipher) => encrypted(&**cipher, nonce, in_clear, content),
        }?;
        let mut seal = [0; SEAL_BYTES];
        seal[..TAG_BYTES].copy_from_slice(&tag);
        seal[TAG_BYTES..].copy_from_slice(&nonce);
        Ok(seal)
    }

    /// Decrypts a content, if it and the bytes `in_clear` are unchanged.
    pub(crate) fn open(&self, in_clear: &[u8], content: InOutBuf<'_, '_, u8>, seal: &Seal) -> Result<(), CipherError> {
        let (tag, nonce) = seal.split_first_chunk::<TAG_BYTES>().ok_or(CipherError)?;
        let nonce = nonce.try_into().map_err(|_| CipherError)?;
        match &self.ready {
            Ready::ChaCha20Poly1305(cipher) => decrypted(&**cipher, nonce, in_clear, content, *tag),
            Ready::Aes256Gcm(cipher) => decrypted(&**cipher, nonce, in_clear, content, *tag),
        }
    }
}

fn encrypted<C>(
    cipher: &C,
    nonce: Nonce,
    in_clear: &[u8],
    content: InOutBuf<'_, '_, u8>,
) -> Result<[u8; TAG_BYTES], CipherError>
where
    C: AeadInOut,
    aead::Nonce<C>: From<Nonce>,
    [u8; TAG_BYTES]: From<Tag<C>>,
{
    cipher.encrypt_inout_detached(&nonce.into(), in_clear, content).map(Into::into).map_err(|_| CipherError)
}

fn decrypted<C>(
    cipher: &C,
    nonce: Nonce,
    in_clear: &[u8],
    content: InOutBuf<'_, '_, u8>,
    tag: [u8; TAG_BYTES],
) -> Result<(), CipherError>
where
    C: AeadInOut,
    aead::Nonce<C>: From<Nonce>,
    Tag<C>: From<[u8; TAG_BYTES]>,
{
    cipher.decrypt_inout_detached(&nonce.into(), in_clear, content, &tag.into()).map_err(|_| CipherError)
}

/// Returns the bytes that LMDB keeps as the key: the address of the ready cipher.
pub(crate) fn address(cipher: &Cipher) -> [u8; size_of::<usize>()] {
    ptr::from_ref(cipher).expose_provenance().to_ne_bytes()
}

/// LMDB's callback that encrypts a page that it writes (`encrypts` is 1), or decrypts one that it reads (0). Returns 0 for success.
///
/// # Safety
/// `key` is three values: the [`address`] of a living cipher, the page's 16 bytes in the clear, and the seal. `from` and
/// `to` are pages of one length that do not overlap.
#[expect(unsafe_code, reason = "called by C with pointers to pages")]
pub(crate) unsafe extern "C" fn encrypt(
    from: *const MDB_val,
    to: *mut MDB_val,
    key: *const MDB_val,
    encrypts: c_int,
) -> c_int {
    // SAFETY: see above. The destination may be uninitialised, so no slice of it is created here.
    let done = unsafe {
        let [address, numbers, seal] = &*key.cast::<[MDB_val; 3]>();
        let address = usize::from_ne_bytes(address.mv_data.cast::<[u8; size_of::<usize>()]>().read_unaligned());
        let cipher = &*ptr::with_exposed_provenance::<Cipher>(address);
        let numbers = &*numbers.mv_data.cast::<[u8; NUMBERS]>();
        let seal = seal.mv_data.cast::<Seal>();
        let content = InOutBuf::from_raw((*from).mv_data.cast(), (*to).mv_data.cast(), (*from).mv_size);
        let bytes = NUMBERS + (*from).mv_size + SEAL_BYTES;
        if encrypts == 1 {
            long::note(slice::from_raw_parts(numbers.as_ptr(), bytes), SEAL_BYTES);
            cipher.seal(numbers, content).map(|sealed| seal.write_unaligned(sealed))
        } else {
            let opened = cipher.open(numbers, content, &seal.read_unaligned());
            match &opened {
                Ok(()) => cipher.chunks.touch(page_number(numbers)),
                Err(CipherError) => damage::note(Proof::Tag, numbers.as_ptr(), bytes),
            }
            opened
        }
    };
    c_int::from(done.is_err())
}

/// Returns the page number that a page contains: only for authenticated pages.
fn page_number(&[a, b, c, d, e, f, g, h, ..]: &[u8; NUMBERS]) -> u64 {
    u64::from_ne_bytes([a, b, c, d, e, f, g, h])
}
