/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/* Convert timestamps of completions to the time of day. */
#ifndef XIW_CLOCK_H
#define XIW_CLOCK_H

#include <stdint.h>
#include <time.h>

/* A function that reads a clock, in nanoseconds. */
typedef uint64_t (*xiw_clock_fn)(clockid_t clock);

/*
 * The measurement in use: CLOCK_REALTIME minus CLOCK_MONOTONIC, and the maximum error of this
 * difference, in nanoseconds. Both are 0 before the first measurement.
 */
struct xiw_clock_offset {
	uint64_t value, error;
};

/*
 * xiw_wallclock - convert a time of CLOCK_MONOTONIC to the time of day
 * @last: the measurement in use; the function may replace it by a new one
 * @time: nanoseconds of CLOCK_MONOTONIC
 * @read: function that reads a clock
 *
 * A measurement reads CLOCK_REALTIME between two readings of CLOCK_MONOTONIC. The thread may lose
 * its CPU between the readings. So the function measures up to eight times, and uses the
 * measurement with the shortest interval. The error is at most half of this interval. If @last does
 * not contradict the new measurement, the function keeps @last. So, until CLOCK_REALTIME is set, a
 * later @time also gives a later result.
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
	/*
	 * Two measurements contradict each other if they differ by more than the sum of their
	 * errors.
	 */
	error = last->error + shortest / 2;
	if (offset - last->value + error > 2 * error) {
		last->value = offset;
		last->error = shortest / 2;
	}
	return time + last->value;
}

#endif
