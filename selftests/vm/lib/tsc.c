// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Print the TSC frequency of this machine in kHz. An emulated guest has the host's TSC, and needs
 * this frequency because its own calibration is wrong if the host is busy. Each sample reads the
 * TSC before and after the clock. take() returns the sample with the shortest time between the two
 * reads of the TSC.
 */
#include <stdint.h>
#include <stdio.h>
#include <time.h>
#include <x86intrin.h>

struct sample {
	int64_t ns;
	uint64_t tsc;
};

static struct sample take(void)
{
	struct sample best = { 0, 0 };
	uint64_t width = UINT64_MAX;

	for (int i = 0; i < 1000; i++) {
		struct timespec ts;
		uint64_t t0 = __rdtsc();

		clock_gettime(CLOCK_MONOTONIC_RAW, &ts);

		uint64_t t1 = __rdtsc();

		if (t1 - t0 < width) {
			width = t1 - t0;
			best.ns = ts.tv_sec * 1000000000LL + ts.tv_nsec;
			best.tsc = t0 + width / 2;
		}
	}
	return best;
}

int main(void)
{
	struct timespec pause = { 0, 100000000 };
	struct sample a = take(), b;

	nanosleep(&pause, NULL);
	b = take();
	printf("%.0f\n", (double)(b.tsc - a.tsc) / (double)(b.ns - a.ns) * 1e6);
	return 0;
}
