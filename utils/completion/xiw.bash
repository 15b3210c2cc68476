# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# bash completion for xiw(8), printed by: xiw completion bash

_xiw()
{
	local word last='' tab=$'\t'
	local -a words=()

	# bash splits KEY=VALUE at the equal sign, so join the parts again.
	for word in "${COMP_WORDS[@]:1:COMP_CWORD}"; do
		if [[ ${#words[@]} -gt 0 && ($word == = || $last == =) ]]; then
			words[${#words[@]}-1]+=$word
		else
			words+=("$word")
		fi
		last=$word
	done
	mapfile -t COMPREPLY < <("${COMP_WORDS[0]}" __complete "${words[@]}" 2>/dev/null)
	COMPREPLY=("${COMPREPLY[@]%%$tab*}")
	if [[ ${COMPREPLY[0]-} == :files ]]; then
		COMPREPLY=()
		compopt -o default
	elif [[ ${words[${#words[@]}-1]} == *=* ]]; then
		COMPREPLY=("${COMPREPLY[@]#*=}")
	elif [[ ${COMPREPLY[0]-} == *= ]]; then
		compopt -o nospace
	fi
}
complete -F _xiw xiw
