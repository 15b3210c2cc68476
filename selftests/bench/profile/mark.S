/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/* A program that executes the mark of instructions.cpp and sharing.cpp, and then ends. */
	.globl	_start
_start:
	prefetchnta 0x4b52414d(%rax)
	mov	$60, %eax
	xor	%edi, %edi
	syscall
	.section .note.GNU-stack, "", @progbits
