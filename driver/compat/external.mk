# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# ../Kbuild includes this file if the module is built outside a kernel tree.

xiw-version := $(shell cat $(src)/../VERSION 2>/dev/null || echo unknown)
xiw-config := $(obj)/compat/config.h

ccflags-y += -I$(src)/../uapi -I$(src)/compat/include
# The code that ynl generates includes <uapi/linux/xiw.h>.
ccflags-y += -I$(src)/..
ccflags-y += -DXIW_VERSION='"$(xiw-version)"'
ccflags-$(CONFIG_INFINIBAND_XIW_PCI) += -DCONFIG_INFINIBAND_XIW_PCI=1
ccflags-$(CONFIG_INFINIBAND_XIW_INJECT) += -DCONFIG_INFINIBAND_XIW_INJECT=1

# Variants for benchmarks: without counters, without the flight recorder, or without the limit on
# the number of work requests that are completed in one critical section with interrupts off.
ifeq ($(XIW_UNCOUNTED),1)
ccflags-y += -DCONFIG_XIW_UNCOUNTED=1
endif
ifeq ($(XIW_UNRECORDED),1)
ccflags-y += -DCONFIG_XIW_UNRECORDED=1
endif
ifeq ($(XIW_UNBATCHED),1)
ccflags-y += -DCONFIG_XIW_UNBATCHED=1
endif

# core/ is portable: its files do not include compat.h or the kernel headers that compat.h includes.
$(foreach o,$(filter-out core/%,$(xiw-y)),$(eval \
	CFLAGS_$(o) += -include $(xiw-config) -include $(src)/compat/compat.h))

$(addprefix $(obj)/,$(xiw-y)): $(xiw-config)

# probe.sh runs the probes only if config.h does not exist or is outdated.
cmd_xiw_probe = KDIR=$(abspath $(objtree)) KERNEL=$(VERSION).$(PATCHLEVEL) \
	CC="$(CC)" ARCH=$(ARCH) CROSS_COMPILE=$(CROSS_COMPILE) LLVM=$(LLVM) \
	bash $(src)/compat/probe.sh $(obj)/compat

$(xiw-config): FORCE
	@$(cmd_xiw_probe)

clean-files := compat/config.h compat/.probe
