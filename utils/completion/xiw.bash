# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# bash completion for xiw(8), printed by: xiw completion bash

_xiw()
{
	local cur=${COMP_WORDS[COMP_CWORD]} word words='' options='' devices='' key='' path
	local -a path_words=()

	for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
		[[ $word == -* ]] || path_words+=("$word")
	done
	path="${path_words[*]}"
	for word in /sys/class/infiniband/xiw*; do
		[[ -e $word ]] && devices+=" ${word##*/}"
	done

	case $path in
	'conn' | 'conn '*)
		options='-q --qp -d --detail' ;;
	'stat' | 'stat '*)
		options='-a --all -p --prometheus' ;;
	'caps' | 'caps '*)
		options='-q --qp' ;;
	'term' | 'term '*)
		options='-q --qp -n --last -r --recorder' ;;
	'monitor' | 'monitor '*)
		options='-q --qp -k --kind -c --count' ;;
	'top' | 'top '*)
		options='-i --interval -s --sort --once' ;;
	'config save' | 'config save '*)
		options='-l --link' ;;
	'config restore' | 'config restore '*)
		options='-l --link' ;;
	'dump' | 'dump '*)
		options='-q --qp' ;;
	'fault set' | 'fault set '*)
		options='-q --qp' ;;
	'fault clear' | 'fault clear '*)
		options='-q --qp' ;;
	'capture' | 'capture '*)
		options='-w --write -q --qp -s --snap -b --buffer -c --count -t --seconds' ;;
	'batch' | 'batch '*)
		options='-f --force' ;;
	'doctor' | 'doctor '*)
		options='--peer' ;;
	'ping' | 'ping '*)
		options='--op -c --count -s --size -i --interval -p --port -W --timeout --serve --once --corrupt' ;;
	'selftest' | 'selftest '*)
		options='-W --timeout' ;;
	esac
	case $path in
	'')
		words='show conn stat caps hist term monitor top config dump fault capture batch explain decode doctor ping selftest completion' ;;
	'show')
		words=$devices ;;
	'conn')
		words=$devices ;;
	'stat')
		words=$devices ;;
	'caps')
		words=$devices ;;
	'hist')
		words=$devices ;;
	'term')
		words=$devices ;;
	'monitor')
		words=$devices ;;
	'top')
		words=$devices ;;
	'config')
		words='show set save restore' ;;
	'config show')
		words=$devices ;;
	'config set')
		words=$devices ;;
	'config save')
		compopt -o default ;;
	'config restore')
		compopt -o default ;;
	'dump')
		words=$devices ;;
	'fault')
		words='show set clear' ;;
	'fault show')
		words=$devices ;;
	'fault set')
		words=$devices ;;
	'fault clear')
		words=$devices ;;
	'capture')
		words=$devices ;;
	'batch')
		compopt -o default ;;
	'explain' | 'explain '*)
		words='0/0/0x00 0/1/0x00 0/1/0x01 0/1/0x02 0/1/0x03 0/1/0x04 0/1/0x09 0/1/0xff 0/2/0x05 0/2/0x06 0/2/0x07 0/2/0x08 0/2/0x09 0/2/0xff 1/0/0x00 1/1/0x00 1/1/0x01 1/1/0x02 1/1/0x03 1/1/0x04 1/2/0x01 1/2/0x02 1/2/0x03 1/2/0x04 1/2/0x05 1/2/0x06 2/0/0x01 2/0/0x02 2/0/0x03 2/0/0x04 2/0/0x05 2/0/0x06 2/0/0x07 SUCCESS LOC_LEN_ERR LOC_QP_OP_ERR LOC_EEC_OP_ERR LOC_PROT_ERR WR_FLUSH_ERR MW_BIND_ERR BAD_RESP_ERR LOC_ACCESS_ERR REM_INV_REQ_ERR REM_ACCESS_ERR REM_OP_ERR RETRY_EXC_ERR RNR_RETRY_EXC_ERR LOC_RDD_VIOL_ERR REM_INV_RD_REQ_ERR REM_ABORT_ERR INV_EECN_ERR INV_EEC_STATE_ERR FATAL_ERR RESP_TIMEOUT_ERR GENERAL_ERR EPERM EIO ENOMEM EACCES EBUSY EEXIST ENODEV EINVAL ERANGE EMSGSIZE EPROTO EOPNOTSUPP EADDRINUSE EADDRNOTAVAIL ENETUNREACH ECONNABORTED ECONNRESET EISCONN ENOTCONN ETIMEDOUT ECONNREFUSED EHOSTUNREACH EOVERFLOW' ;;
	'decode')
		compopt -o default ;;
	'doctor' | 'doctor '*)
		words='' ;;
	'ping' | 'ping '*)
		words='' ;;
	'selftest')
		words=$devices ;;
	'completion' | 'completion '*)
		words='bash zsh' ;;
	'config set '*)
		words='crc= markers= mpa-revision= atomics= immediates= peer-to-peer= rtr= park-time= startup-time= rtr-time= linger-time= mulpdu-max= peer-time= latency='
		compopt -o nospace ;;
	'fault set '*' '*)
		words='at= every= count= time= octets='
		compopt -o nospace ;;
	'fault set '*)
		words='drop duplicate crc reset delay stall refuse-atomic' ;;
	esac
	if [[ $cur == -* ]]; then
		words="$options -j --json --tsv -h --help -V --version"
	fi

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
	latency)
		words='off on' ;;
	esac
	mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
}
complete -F _xiw xiw
