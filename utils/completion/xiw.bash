# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# bash completion for xiw(8), printed by: xiw completion

_xiw()
{
	local cur=${COMP_WORDS[COMP_CWORD]} word words='' devices='' key='' path
	local -a path_words=()

	for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
		[[ $word == -* ]] || path_words+=("$word")
	done
	path="${path_words[*]}"
	for word in /sys/class/infiniband/xiw*; do
		[[ -e $word ]] && devices+=" ${word##*/}"
	done

	case $path in
	'')
		words='show conn stat caps config completion --json --tsv --help --version' ;;
	show)
		words=$devices ;;
	conn)
		words=$devices ;;
	stat)
		words=$devices ;;
	caps)
		words=$devices ;;
	config)
		words='show set' ;;
	'config show' | 'config set')
		words=$devices ;;
	'config set '*)
		words='crc= markers= mpa-revision= atomics= immediates= peer-to-peer= rtr= park-time= startup-time= rtr-time= linger-time= mulpdu-max= peer-time='
		compopt -o nospace ;;
	esac

	# The shell takes KEY=VALUE apart at the equal sign.
	if [[ $cur == = ]]; then
		key=${COMP_WORDS[COMP_CWORD-1]} cur=''
	elif [[ ${COMP_WORDS[COMP_CWORD-1]} == = ]]; then
		key=${COMP_WORDS[COMP_CWORD-2]}
	fi
	if [[ $key ]]; then
		words=''
	fi
	case $key in
	crc)
		words='off on' ;;
	markers)
		words='off on' ;;
	mpa-revision)
		words='1 2' ;;
	atomics)
		words='off on' ;;
	immediates)
		words='off on' ;;
	peer-to-peer)
		words='off on' ;;
	rtr)
		words='write read write+read send write+send read+send write+read+send' ;;
	esac
	mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
}
complete -F _xiw xiw
