# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# The second half of ../Kbuild, for a module that is built outside of a kernel tree.

xiw-version := $(shell cat $(src)/../VERSION 2>/dev/null || echo unknown)
xiw-config := $(obj)/compat/config.h

ccflags-y += -I$(src)/../uapi -I$(src)/compat/include
# The code that ynl generates includes <uapi/linux/xiw.h>.
ccflags-y += -I$(src)/..
ccflags-y += -DXIW_VERSION='"$(xiw-version)"'
ccflags-$(CONFIG_INFINIBAND_XIW_PCI) += -DCONFIG_INFINIBAND_XIW_PCI=1
ccflags-$(CONFIG_INFINIBAND_XIW_INJECT) += -DCONFIG_INFINIBAND_XIW_INJECT=1

# For benchmarks: the driver without counters, without the flight recorder, and with
# interrupts off for whole queues.
ifeq ($(XIW_UNCOUNTED),1)
ccflags-y += -DCONFIG_XIW_UNCOUNTED=1
endif
ifeq ($(XIW_UNRECORDED),1)
ccflags-y += -DCONFIG_XIW_UNRECORDED=1
endif
ifeq ($(XIW_UNBATCHED),1)
ccflags-y += -DCONFIG_XIW_UNBATCHED=1
endif

# The core is portable: it includes neither the shims nor the headers that they include.
$(foreach o,$(filter-out core/%,$(xiw-y)),$(eval \
	CFLAGS_$(o) += -include $(xiw-config) -include $(src)/compat/compat.h))

$(addprefix $(obj)/,$(xiw-y)): $(xiw-config)

# probe.sh examines the kernel once and keeps config.h while it is valid.
cmd_xiw_probe = KDIR=$(abspath $(objtree)) KERNEL=$(VERSION).$(PATCHLEVEL) \
	CC="$(CC)" ARCH=$(ARCH) CROSS_COMPILE=$(CROSS_COMPILE) LLVM=$(LLVM) \
	bash $(src)/compat/probe.sh $(obj)/compat

$(xiw-config): FORCE
	@$(cmd_xiw_probe)

clean-files := compat/config.h compat/.probe
