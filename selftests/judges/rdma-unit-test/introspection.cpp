// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
//
// rdma-unit-test has a class for each kind of device that it supports. The class reports the
// properties of the device. The suite ends if it has no class for the name of the device. The class
// in this file serves xiw, siw and rxe. It reports no known issues, because the suite would skip
// tests for them. It overrides a default of the suite only if these devices differ from it.

#include <string>

#include "infiniband/verbs.h"
#include "internal/introspection_registrar.h"
#include "public/introspection.h"

namespace {

using rdma_unit_test::IntrospectionRegistrar;
using rdma_unit_test::NicIntrospection;

class SoftwareRnic : public NicIntrospection {
  public:
    using NicIntrospection::NicIntrospection;

    bool SupportsReRegMr() const override { return true; }

    // When the QP enters RTS, the devices send the work requests that were posted in RTR, as irdma
    // does.
    bool SilentlyDropSendWrWhenResetInitRtr() const override { return false; }

    // The devices are slow, because a guest has only two processors.
    bool IsSlowNic() const override { return true; }
};

// The suite uses the first registered class whose name is a prefix of the name of the device. The
// empty name is a prefix of every name. The suite's own classes are registered later. So the suite
// uses this class for every device.
const bool registered = [] {
    IntrospectionRegistrar::GetInstance().Register(
        "", [](const std::string &name, const ibv_device_attr &attributes) {
            return new SoftwareRnic(name, attributes);
        });
    return true;
}();

} // namespace
