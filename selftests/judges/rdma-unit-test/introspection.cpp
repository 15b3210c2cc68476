// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
//
// rdma-unit-test asks a class of its own what a device does, and ends if there is none for the name
// of the device. This class serves xiw, siw and rxe alike. It names no known issue, by which the
// suite would skip tests, and differs from the default of the suite only where a device reports or
// offers something else.

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

    // What is posted in RTR is sent in RTS, as irdma does.
    bool SilentlyDropSendWrWhenResetInitRtr() const override { return false; }

    // A guest has two processors.
    bool IsSlowNic() const override { return true; }
};

// The suite takes the first class whose name begins the name of the device, and its own classes
// come later.
const bool registered = [] {
    IntrospectionRegistrar::GetInstance().Register(
        "", [](const std::string &name, const ibv_device_attr &attributes) {
            return new SoftwareRnic(name, attributes);
        });
    return true;
}();

} // namespace
