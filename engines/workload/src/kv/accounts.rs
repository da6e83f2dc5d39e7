//! Accounts: rows whose balances are moved by transfers, with invariants that hold in any order of the transfers.
//!
//! A row's value has two numbers of [`DIGITS`] decimal digits: its balance, and its version, which each write raises by one.

use dbdyno_engine::{EngineError, kv::KvRead};
use std::fmt;

/// Decimal digits of each number of a value.
const DIGITS: usize = 16;

/// An account, as stored in one row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Account {
    pub(super) balance: u64,
    pub(super) version: u64,
}

/// The value of an account, as it is stored.
pub(super) type StoredAccount = [u8; 2 * DIGITS];

impl Account {
    /// # Errors
    /// The value is not an account.
    pub(super) fn parse(value: &[u8]) -> Result<Self, EngineError> {
        let number = |digits: &[u8]| {
            digits
                .iter()
                .try_fold(0_u64, |number, digit| digit.is_ascii_digit().then(|| number * 10 + u64::from(digit - b'0')))
        };
        let account = value.split_at_checked(DIGITS).filter(|(_, version)| version.len() == DIGITS);
        account
            .and_then(|(balance, version)| Some(Self { balance: number(balance)?, version: number(version)? }))
            .ok_or_else(|| {
                EngineError::new(format!("`{}` is not an account: expected 32 digits", String::from_utf8_lossy(value)))
            })
    }

    pub(super) fn stored(self) -> StoredAccount {
        let mut value = [b'0'; 2 * DIGITS];
        let (balance, version) = value.split_at_mut(DIGITS);
        for (digits, mut number) in [(balance, self.balance), (version, self.version)] {
            for digit in digits.iter_mut().rev() {
                *digit = b'0' + (number % 10) as u8;
                number /= 10;
            }
        }
        value
    }

    /// Returns both accounts after a transfer of `amount` from this one to `to`, or of as much as it has.
    pub(super) fn transfer(self, to: Self, amount: u64) -> (Self, Self) {
        let moved = amount.min(self.balance);
        let from = Self { balance: self.balance - moved, version: self.version + 1 };
        (from, Self { balance: to.balance + moved, version: to.version + 1 })
    }
}

/// The totals of all accounts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Accounts {
    pub(super) count: u64,
    pub(super) balances: u64,
    pub(super) versions: u64,
}

impl Accounts {
    /// Adds up all rows of a read transaction.
    pub(super) fn read<R: KvRead>(read: &mut R) -> Result<Self, EngineError> {
        let mut sum = Sum::default();
        read.scan(|_, value| sum.add(value))?;
        sum.all()
    }

    /// Adds up at most `most` rows of a read transaction, starting at a key.
    pub(super) fn read_some<R: KvRead>(read: &mut R, from: &[u8], most: u64) -> Result<Self, EngineError> {
        let mut sum = Sum::default();
        read.range(from, most, |_, value| sum.add(value))?;
        sum.all()
    }

    /// Returns what an audit has found wrong, if anything: transfers change neither the number of accounts nor the sum of their balances.
    pub(super) fn broken_by(&self, found: &Self) -> Option<String> {
        let Self { count, balances, .. } = self;
        (found.count != *count || found.balances != *balances).then(|| {
            format!("{} accounts with a total of {}, expected {count} with {balances}", found.count, found.balances)
        })
    }
}

/// A running sum of accounts, and the error of the first value that is not an account.
#[derive(Default)]
struct Sum {
    accounts: Accounts,
    broken: Option<EngineError>,
}

impl Sum {
    #[inline]
    fn add(&mut self, value: &[u8]) {
        match Account::parse(value) {
            Ok(account) => {
                self.accounts.count += 1;
                self.accounts.balances += account.balance;
                self.accounts.versions += account.version;
            }
            Err(error) => {
                self.broken.get_or_insert(error);
            }
        }
    }

    fn all(self) -> Result<Accounts, EngineError> {
        self.broken.map_or(Ok(self.accounts), Err)
    }
}

impl fmt::Display for Accounts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { count, balances, versions } = self;
        write!(f, "{count} accounts with a total of {balances} and versions that add up to {versions}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_survives_being_stored() {
        let account = Account { balance: 1_000, version: 7 };
        assert_eq!(&account.stored(), b"00000000000010000000000000000007");
        assert_eq!(Account::parse(&account.stored()).unwrap(), account);
        for value in [&b""[..], b"1", b"00000000000010000000000000000007x", b"0000000000001000000000000000000x"] {
            assert!(Account::parse(value).is_err());
        }
    }

    #[test]
    fn a_transfer_keeps_the_sum() {
        let (from, to) = (Account { balance: 4, version: 0 }, Account { balance: 10, version: 3 });
        let after = from.transfer(to, 9);
        assert_eq!(after, (Account { balance: 0, version: 1 }, Account { balance: 14, version: 4 }));
    }
}
