/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * A program that executes the mark of mark.S, sleeps for a second, executes the mark again, and
 * ends. If two runs of mark.S executed these marks, the end of the first process and the start of
 * the second process would also be counted.
 */
	.globl	_start
_start:
	prefetchnta 0x4b52414d(%rax)
	mov	$35, %eax		/* nanosleep */
	lea	second(%rip), %rdi
	xor	%esi, %esi
	syscall
	prefetchnta 0x4b52414d(%rax)
	mov	$60, %eax		/* exit */
	xor	%edi, %edi
	syscall
	.section .rodata
second:
	.quad	1, 0
	.section .note.GNU-stack, "", @progbits
