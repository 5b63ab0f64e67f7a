#!/usr/bin/env python3
"""How long parts should be: the model and the simulation of docs/FARM.md, as its tables.

A machine of speed r makes r seconds of film a second, and every task costs it s seconds more (scheduler, process, context).
Whoever is free takes the next task. The film is worked on as long as the last of them works; a table has that time over the
ideal one, in which all machines work without a pause: film / sum of speeds.

    farm_model.py            all tables: ten seconds
    farm_model.py --quick    those of one film: a moment
"""

import heapq
import sys

HOUR = 3600.0
# A machine dies once in so many hours. Its task is noticed so much later and made again; it comes back after that, too.
LIFE = 1000 * HOUR
NOTICED = 420.0


def machines(count):
    """Speeds from 0.25 to 4, evenly spread over their logarithm: slow ones are as many as fast ones."""
    return [0.25 * 16 ** ((n + 0.5) / count) for n in range(count)]


def equal(count):
    return [1.0] * count


class Run:
    """A film (all in seconds) cut into parts, on machines of these speeds."""

    def __init__(self, film, speeds, part, cost, most=1, rounds=None):
        self.film, self.speeds, self.part, self.cost = film, speeds, part, cost
        # A task is a run of parts: as many as leave each machine four tasks, and no more than this.
        self.most = most
        # Or what an array fixes beforehand: (share of the parts, parts a task) one after the other.
        self.rounds = rounds

    def ideal(self):
        return self.film / sum(self.speeds)

    def model(self):
        """The formula: what tasks cost, weighted by who makes most of them, and the last part on the slowest machine."""
        total = sum(self.speeds)
        weighted = sum(speed * speed for speed in self.speeds) / total
        tail = self.part / min(self.speeds)
        return (self.ideal() * (1 + weighted * self.cost / self.part) + tail / 2) / self.ideal()

    def tasks(self):
        """How many parts each next task has, given how many are left."""
        count = round(self.film / self.part)
        plan = []
        if self.rounds:
            left = count
            for share, length in self.rounds:
                take = min(left, round(count * share))
                plan += [length] * (take // length) + ([take % length] if take % length else [])
                left -= take
            plan += [1] * left
        return count, plan

    def simulated(self, deaths=False):
        """(time over the ideal one, tasks, share of work that deaths cost)"""
        left, plan = self.tasks()
        free = [(0.0, n) for n in range(len(self.speeds))]
        heapq.heapify(free)
        # Machine n dies first at its own moment of a life, so that deaths are spread evenly.
        dies = [LIFE * (n + 0.5) / len(self.speeds) for n in range(len(self.speeds))]
        end, tasks, lost = 0.0, 0, 0.0
        planned = iter(plan)
        while left > 0:
            now, n = heapq.heappop(free)
            length = next(planned, None) or max(1, min(self.most, left // (4 * len(self.speeds))))
            length = min(length, left)
            speed = self.speeds[n]
            done = now + self.cost + length * self.part / speed
            tasks += 1
            if deaths and now <= dies[n] < done:
                # What it was at is made again, by whoever is free then.
                lost += (dies[n] - now) * speed
                heapq.heappush(free, (dies[n] + NOTICED, n))
                dies[n] += LIFE
                continue
            left -= length
            end = max(end, done)
            heapq.heappush(free, (done, n))
        return end / self.ideal(), tasks, lost / self.film


def table(head, rows):
    print("| " + " | ".join(head) + " |")
    print("|" + "---|" * len(head))
    for row in rows:
        print("| " + " | ".join(row) + " |")
    print()


def over(run):
    return f"{run.simulated()[0]:.2f}"


def one_film():
    film, lengths = 2 * HOUR, [10, 20, 60, 120, 300]
    print("One film of 2 hours on 16 machines:\n")
    cases = [("unlike, s = 2", machines(16), 2), ("unlike, s = 0.5", machines(16), 0.5), ("alike, s = 2", equal(16), 2)]
    rows = [[name] + [over(Run(film, speeds, part, cost)) for part in lengths] for name, speeds, cost in cases]
    table(["machines"] + [f"{part} s" for part in lengths], rows)


def many_films():
    # Of 10,000 hours on 1,000 machines a tenth: the same hours for each machine, and so the same ratios.
    film, speeds, lengths = 1000 * HOUR, machines(100), [10, 30, 60, 120, 300, 600]
    print("Ten hours of film for each of 1,000 unlike machines:\n")
    rows = []
    for cost in (0.5, 2, 10):
        rows.append([f"s = {cost:g}, a part a task"] + [over(Run(film, speeds, part, cost)) for part in lengths])
    for cost in (2, 10):
        rows.append([f"s = {cost:g}, up to ten"] + [over(Run(film, speeds, part, cost, most=10)) for part in lengths])
    table(["tasks"] + [f"{part} s" for part in lengths], rows)

    single, runs = Run(film, speeds, 60, 2), Run(film, speeds, 60, 2, most=10)
    rounds = Run(film, speeds, 60, 2, rounds=[(0.9, 10), (0.08, 5)])
    print("Of that at 60 s and s = 2:\n")
    rows = [["a part a task", f"{single.simulated()[0]:.3f}", f"{10 * single.simulated()[1]:,}"],
            ["up to ten parts", f"{runs.simulated()[0]:.3f}", f"{10 * runs.simulated()[1]:,}"],
            ["fixed beforehand: 90 % by tens, 8 % by fives, the rest one by one", f"{rounds.simulated()[0]:.3f}",
             f"{10 * rounds.simulated()[1]:,}"],
            ["the formula, a part a task", f"{single.model():.3f}", ""]]
    table(["tasks", "time over the ideal", "number"], rows)
    time, _, lost = Run(film, speeds, 60, 2, most=10).simulated(deaths=True)
    print(f"With machines that die once in {LIFE / HOUR:,.0f} hours: {time:.3f}, and {lost:.3%} of the work is made twice.")


if __name__ == "__main__":
    if sys.argv[1:] not in ([], ["--quick"]):
        sys.exit(__doc__)
    one_film()
    if not sys.argv[1:]:
        many_films()
