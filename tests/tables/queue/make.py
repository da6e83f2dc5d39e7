"""Response times of M/D/1: Poisson arrivals, one server, a service that always takes the same time.

    python3 tests/tables/queue/make.py > tests/tables/queue/md1.csv      (needs mpmath)

Erlang's formula for the wait of an arrival, with service time 1 and arrivals of rate rho (see Franx, "A simple solution for
the M/D/c waiting time distribution", 2001):

    P(W <= t) = (1 - rho) sum over k = 0..floor(t) of (rho (k - t))^k / k! e^(-rho (k - t))

Its terms alternate and are large, so it is summed with 200 digits. The response time is the wait and the service.
Columns: utilisation, quantile, response time in service times.
"""

from mpmath import exp, factorial, floor, mp, mpf

mp.dps = 200


def waits_no_longer(rho, t):
    terms = ((rho * (k - t)) ** k / factorial(k) * exp(-rho * (k - t)) for k in range(int(floor(t)) + 1))
    return (1 - rho) * sum(terms)


def response(rho, quantile):
    low, high = mpf(0), mpf(1)
    while waits_no_longer(rho, high) < quantile:
        high *= 2
    for _ in range(100):
        middle = (low + high) / 2
        if waits_no_longer(rho, middle) < quantile:
            low = middle
        else:
            high = middle
    return 1 + high


print("utilisation,quantile,response")
for rho in ["0.3", "0.5", "0.7", "0.85", "0.95"]:
    for quantile in ["0.5", "0.9", "0.99", "0.999"]:
        print(f"{rho},{quantile},{mp.nstr(response(mpf(rho), mpf(quantile)), 9)}")
