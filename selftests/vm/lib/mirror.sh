# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# Package lists of the Debian suites. They are in the cache, and have an apt configuration of their
# own. The functions read the host's apt sources and never change them.
# shellcheck shell=bash

KEYRING=/usr/share/keyrings/debian-archive-keyring.gpg
LISTS_MAX_AGE=720	# minutes; older lists are downloaded again
MIRROR=''	# set by mirror_uris
PROXY_COMMAND='^Acquire::(http|https)::Proxy-?Auto-?Detect'	# setting of apt

# host_packages COMMAND=PACKAGE...: installs each PACKAGE whose COMMAND the host lacks. COMMAND is
# the name of a program, or an absolute path.
host_packages()
{
	local pair missing=()
	for pair in "$@"; do
		case $pair in
		/*) [ -e "${pair%%=*}" ] || missing+=("${pair#*=}") ;;
		*) command -v "${pair%%=*}" >/dev/null || missing+=("${pair#*=}") ;;
		esac
	done
	[ "${#missing[@]}" -gt 0 ] || return 0
	[ "$(id -u)" -eq 0 ] || die "needs root to install: ${missing[*]}"
	with_lock apt-host step "host packages: ${missing[*]}" host_install "${missing[@]}"
}

# host_install PACKAGE...: installs packages on the host. If this fails, updates the host's package
# lists and tries again.
host_install()
{
	export DEBIAN_FRONTEND=noninteractive
	local get=(apt-get -o DPkg::Lock::Timeout=300 -y --no-install-recommends install)
	"${get[@]}" "$@" || { apt-get update && "${get[@]}" "$@"; }
}

# mirror_of URI: prints URI, unless URI names a file with a list of mirrors (mirror+file:). In this
# case, prints the first mirror in the file, because the roots do not contain the file.
mirror_of()
{
	local path=${1#mirror+file:}
	if [ "$path" = "$1" ]; then
		echo "$1"
		return
	fi
	path=${path#//}
	awk '!/^(#|$)/ { print $1; exit }' "${path%/}"
}

# mirror_proxy: sets MIRROR_PROXY to the proxy that a command of the host's apt, such as
# auto-apt-proxy, detects. The roots need this result, because they do not contain the command.
# MIRROR_PROXY is empty if there is no proxy.
mirror_proxy()
{
	MIRROR_PROXY=''
	[ -n "$(apt-config dump | grep -iE "$PROXY_COMMAND")" ] || return 0
	MIRROR_PROXY=$(LC_ALL=C /usr/lib/apt/apt-helper auto-detect-proxy "$MIRROR" |
		sed -n "s/^Using proxy '\(.*\)' for URL .*/\1/p")
	[ "$MIRROR_PROXY" != DIRECT ] || MIRROR_PROXY=''
}

# mirror_uris: sets MIRROR and MIRROR_SECURITY to the URIs of the host's mirrors, and exports the
# proxy that mirror_proxy detects. A call of the host's apt takes a second. So the results are kept
# for an hour, or until apt's configuration changes.
mirror_uris()
{
	local known=$CACHE/mirror
	[ -z "$MIRROR" ] || return 0
	if [ -n "${APT_CONFIG-}" ]; then
		mirror_ask
	elif [ -n "$(find "$known" -mmin -60 2>/dev/null)" ] &&
	     [ -z "$(find /etc/apt /var/lib/apt/lists -newer "$known" -print -quit)" ]; then
		# shellcheck source=/dev/null
		. "$known"
	else
		mirror_ask
		printf '%s=%q\n' MIRROR "$MIRROR" MIRROR_SECURITY "$MIRROR_SECURITY" \
			MIRROR_PROXY "$MIRROR_PROXY" >"$known.$$"
		mv "$known.$$" "$known"
	fi
	[ -z "$MIRROR_PROXY" ] || export "${MIRROR%%:*}_proxy=$MIRROR_PROXY"
}

# mirror_ask: sets MIRROR, MIRROR_SECURITY and MIRROR_PROXY from the host's apt
mirror_ask()
{
	local label uri line
	MIRROR='' MIRROR_SECURITY=''
	while IFS='|' read -r label uri; do
		[[ $uri != cdrom:* ]] || continue	# a DVD has no other suites
		case $label in
		Debian) MIRROR=${MIRROR:-$uri} ;;
		Debian-Security) MIRROR_SECURITY=${MIRROR_SECURITY:-$uri} ;;
		esac
	done < <(apt-get indextargets --format '$(LABEL)|$(REPO_URI)' 'Created-By: Packages')
	if [ -z "$MIRROR" ]; then	# lists that were never downloaded have no labels
		while read -r uri; do
			case $uri in
			cdrom:*) ;;
			*security*) MIRROR_SECURITY=${MIRROR_SECURITY:-$uri} ;;
			*debian*) MIRROR=${MIRROR:-$uri} ;;
			esac
		done < <(apt-get indextargets --no-release-info --format '$(REPO_URI)' \
			'Created-By: Packages')
	fi
	if [ -z "$MIRROR" ]; then
		line=http://deb.debian.org/debian
		warn "no Debian mirror in the host's apt sources, using $line"
		MIRROR=$line MIRROR_SECURITY=$line-security
	fi
	MIRROR=$(mirror_of "$MIRROR") MIRROR_SECURITY=$(mirror_of "$MIRROR_SECURITY")
	MIRROR=${MIRROR%/} MIRROR_SECURITY=${MIRROR_SECURITY%/}
	mirror_proxy
}

# In the functions below, the argument SUITE is the name of a suite of Debian, or NAME:ARCHITECTURE.
# NAME:ARCHITECTURE has packages of ARCHITECTURE in addition to those of amd64. All packages of such
# a SUITE come from the last point release, because the versions must be the same on all
# architectures.

# suite_sources SUITE: prints the lines of sources.list for SUITE
suite_sources()
{
	local opt="[signed-by=$KEYRING]" suite=${1%:*}
	echo "deb $opt $MIRROR $suite main"
	[ "$suite" = "$1" ] && [ "$1" != forky ] || return 0	# use no updates
	echo "deb $opt $MIRROR $1-updates main"
	[ -z "$MIRROR_SECURITY" ] || echo "deb $opt $MIRROR_SECURITY $1-security main"
	[ "$1" != trixie ] || echo "deb $opt $MIRROR $1-backports main"
}

# suite_apt SUITE TOOL ARG...: runs TOOL, which is apt-get or apt-cache, with the package lists of
# SUITE
suite_apt()
{
	local dir=$CACHE/apt/$1 tool=$2
	shift 2
	APT_CONFIG=$dir/apt.conf "$tool" "$@"
}

# suite_source SUITE PACKAGE DIR: unpacks the upstream source of the Debian source package PACKAGE
# into DIR
suite_source()
{
	local dir=$3.apt
	mkdir -p "$dir"/{state/lists,cache/archives}/partial
	suite_sources "$1" | sed 's/^deb /deb-src /' >"$dir/sources.list"
	sed "s|$CACHE/apt/$1/|$dir/|" "$CACHE/apt/$1/apt.conf" >"$dir/apt.conf"
	(cd "$dir" && export APT_CONFIG=$dir/apt.conf && apt-get -qq update &&
		apt-get -qq source --tar-only --download-only "$2")
	tar -x -C "$3" --strip-components=1 -f "$dir/$2"_*.orig.tar.*
	rm -r "$dir"
}

# suite_lists SUITE [fresh]: downloads the package lists of SUITE if they are missing, outdated or
# from other sources, or if "fresh" is given
suite_lists()
{
	mirror_uris
	with_lock "lists-$1" suite_lists_fetch "$@"
}

# suite_lists_fetch: does the work of suite_lists, under a lock
suite_lists_fetch() # SUITE [fresh]
{
	local suite=$1 dir=$CACHE/apt/$1 arch=amd64 archs='"amd64";'
	[[ $1 != *:* ]] || arch=${1#*:} archs="\"${1#*:}\"; $archs"
	if [ "${2-}" != fresh ] && [ -e "$dir/fetched" ] &&
	   [ -n "$(find "$dir/fetched" -mmin "-$LISTS_MAX_AGE")" ] &&
	   suite_sources "$suite" | cmp -s - "$dir/sources.list"; then
		return
	fi
	mkdir -p "$dir"/{state/lists/partial,cache/archives/partial}
	suite_sources "$suite" >"$dir/sources.list"
	{
		apt-config dump | grep -E '^Acquire::(http|https|ftp|Retries|By-Hash|Check-Valid)' |
			grep -viE "$PROXY_COMMAND" || :
		cat <<-END
		Dir::Etc::Parts "/dev/null";
		Dir::Etc::Main "/dev/null";
		Dir::Etc::SourceList "$dir/sources.list";
		Dir::Etc::SourceParts "/dev/null";
		Dir::Etc::Preferences "/dev/null";
		Dir::Etc::PreferencesParts "/dev/null";
		Dir::State "$dir/state";
		Dir::State::Status "/dev/null";
		Dir::Cache "$dir/cache";
		APT::Architecture "$arch";
		APT::Architectures { $archs };
		APT::Sandbox::User "root";
		Acquire::Languages "none";
		APT::Update::Error-Mode "any";
		END
	} >"$dir/apt.conf"
	if suite_apt "$suite" apt-get -qq update >"$dir/update.log" 2>&1; then
		touch "$dir/fetched"
	elif [ -e "$dir/fetched" ]; then
		warn "package lists of $suite could not be fetched, using the old ones"
	else
		cat "$dir/update.log" >&2
		die "package lists of $suite could not be fetched from $MIRROR"
	fi
}

# suite_versions SUITE PACKAGE...: prints "PACKAGE=VERSION" for each PACKAGE, with the version that
# apt would install
suite_versions()
{
	local suite=$1
	shift
	suite_apt "$suite" apt-cache policy "$@" |
		awk '/^[^ ]/ { p = $1; sub(":$", "", p) } $1 == "Candidate:" { print p "=" $2 }'
}

# suite_field SUITE PACKAGE VERSION FIELD: prints the value of FIELD in apt's record of the package
suite_field()
{
	suite_apt "$1" apt-cache show "$2=$3" | sed -n "s/^$4: //p" | head -n 1
}

# suite_download SUITE DIR PACKAGE=VERSION...: downloads packages into DIR with apt, which checks
# sums and signatures. The mirror removes old versions, so an HTTP status of 404 means that the
# package lists are outdated.
suite_download()
{
	local suite=$1 dir=$2
	shift 2
	mkdir -p "$dir"
	(cd "$dir" && suite_apt "$suite" apt-get -qq download "$@")
}

# unpack DEB DIR [TAR ARGUMENT...]: unpacks the Debian package DEB into DIR. If a folder of the
# package is a link in DIR, as /lib is with a merged /usr, the files of this folder go to the target
# of the link.
unpack()
{
	local deb=$1 dir=$2
	shift 2
	dpkg-deb --fsys-tarfile "$deb" |
		tar -x --keep-directory-symlink -C "$dir" "$@"
}
