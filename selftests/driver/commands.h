/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/* The admin ring of the driver. The test takes the place of the RNIC and of a device reset. */
#ifndef XIW_TEST_COMMANDS_H
#define XIW_TEST_COMMANDS_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What the RNIC does with a command. */
enum commands_answer {
	COMMANDS_STATUS,	/* answer with a status */
	COMMANDS_NOTHING,	/* give no answer */
	COMMANDS_FAIL,		/* fail, so that the driver resets the device */
};

struct commands;

struct commands *commands_new(void);
void commands_free(struct commands *commands);

/* Execute one command. Return: 0 or an errno, as xiw_admin_exec() returns it. */
int commands_run(struct commands *commands, enum commands_answer answer, uint8_t status);
/* Execute one command that revokes memory. The RNIC answers with a status. */
void commands_revoke(struct commands *commands, uint8_t status);
/* Return how often the device has failed, and how many slots of the admin ring are free. */
unsigned int commands_failures(const struct commands *commands);
unsigned int commands_room(const struct commands *commands);

#ifdef __cplusplus
}
#endif

#endif
