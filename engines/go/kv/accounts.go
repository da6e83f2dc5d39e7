package kv

import "fmt"

// accountDigits is the number of digits of each of the two numbers in an account's value: its balance, and its
// version, which each write raises by one.
const accountDigits = 16

// account is a row whose balance transfers move.
type account struct{ balance, version uint64 }

// storedAccount is an account's value in its stored form.
type storedAccount [2 * accountDigits]byte

func parseAccount(value []byte) (account, error) {
	if len(value) == 2*accountDigits {
		balance, isNumber := decimal(value[:accountDigits])
		version, too := decimal(value[accountDigits:])
		if isNumber && too {
			return account{balance, version}, nil
		}
	}
	return account{}, fmt.Errorf("`%s` is not an account: expected 32 digits", value)
}

func decimal(digits []byte) (uint64, bool) {
	var number uint64
	for _, digit := range digits {
		if digit < '0' || digit > '9' {
			return 0, false
		}
		number = number*10 + uint64(digit-'0')
	}
	return number, true
}

func (account account) stored(into *storedAccount) []byte {
	for half, number := range [2]uint64{account.balance, account.version} {
		for at := accountDigits - 1; at >= 0; at-- {
			into[half*accountDigits+at] = byte('0' + number%10)
			number /= 10
		}
	}
	return into[:]
}

// transfer returns both accounts after moving an amount from this one to another, or as much of the amount as this
// one has.
func (from account) transfer(to account, amount uint64) (account, account) {
	moved := min(amount, from.balance)
	return account{from.balance - moved, from.version + 1}, account{to.balance + moved, to.version + 1}
}

// accounts are the totals of all accounts.
type accounts struct{ count, balances, versions uint64 }

func (accounts accounts) String() string {
	return fmt.Sprintf("%d accounts with a total of %d and versions that add up to %d", accounts.count, accounts.balances, accounts.versions)
}

// sum adds up accounts, and keeps the error of the first value that is not an account.
type sum struct {
	accounts
	err error
	// anything reports whether the values come from a store that does nothing.
	anything bool
}

func (sum *sum) add(_, value []byte) {
	if sum.anything {
		sum.count++
		return
	}
	account, err := parseAccount(value)
	if err != nil {
		if sum.err == nil {
			sum.err = err
		}
		return
	}
	sum.count++
	sum.balances += account.balance
	sum.versions += account.version
}

// brokenBy returns what an audit has found wrong, or an empty string. No transfer changes the number of accounts or
// the sum of their balances.
func (before accounts) brokenBy(found accounts) string {
	if found.count == before.count && found.balances == before.balances {
		return ""
	}
	return fmt.Sprintf("%d accounts with a total of %d, expected %d with %d", found.count, found.balances, before.count, before.balances)
}
