/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * A program that executes the mark, and then ends. The mark is a prefetch of a fixed address. When
 * the guest executes it, the QEMU plugins instructions.cpp and sharing.cpp write their counts.
 */
	.globl	_start
_start:
	prefetchnta 0x4b52414d(%rax)
	mov	$60, %eax
	xor	%edi, %edi
	syscall
	.section .note.GNU-stack, "", @progbits
