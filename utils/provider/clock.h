/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/* The time of day at which a completion was written. */
#ifndef XIW_CLOCK_H
#define XIW_CLOCK_H

#include <stdint.h>
#include <time.h>

/* Reads a clock, in nanoseconds. */
typedef uint64_t (*xiw_clock_fn)(clockid_t clock);

/* CLOCK_REALTIME minus CLOCK_MONOTONIC, as last measured. Zero at first. */
struct xiw_clock_offset {
	uint64_t value, error;
};

/*
 * xiw_wallclock - get the time of day for a time of CLOCK_MONOTONIC
 * @last: the last measurement
 * @time: nanoseconds
 * @read: reads a clock
 *
 * A thread may lose its CPU between two readings. So the function reads CLOCK_REALTIME between two
 * readings of CLOCK_MONOTONIC, up to eight times, and uses the shortest interval. Half of this
 * interval limits the error. If the last measurement does not contradict this one, it stays valid.
 * So times keep their order until somebody sets the clock.
 *
 * Return: nanoseconds of CLOCK_REALTIME
 */
static inline uint64_t xiw_wallclock(struct xiw_clock_offset *last, uint64_t time,
				     xiw_clock_fn read)
{
	uint64_t before, real, length, shortest = UINT64_MAX, offset = 0, error;
	int i;

	for (i = 0; i < 8 && shortest > 1000; i++) {
		before = read(CLOCK_MONOTONIC);
		real = read(CLOCK_REALTIME);
		length = read(CLOCK_MONOTONIC) - before;
		if (length < shortest) {
			shortest = length;
			offset = real - before - length / 2;
		}
	}
	/* The measurements contradict each other if they differ by more than both errors. */
	error = last->error + shortest / 2;
	if (offset - last->value + error > 2 * error) {
		last->value = offset;
		last->error = shortest / 2;
	}
	return time + last->value;
}

#endif
