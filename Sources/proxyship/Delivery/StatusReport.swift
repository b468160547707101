internal import Capture
internal import ProxydCaptureModel
internal import ProxydCentralStore
internal import ProxydPostgresLink

/// `--status`: whether the central store can be reached, and how much waits.
struct StatusReport {
    private let plan: Shipper.Plan

    init(_ plan: Shipper.Plan) { self.plan = plan }

    /// Writes the report to standard output; fails if the central store cannot be reached.
    func write() throws(ShippingError) {
        let reader = try local { () throws(StoreError) in
            try StoreReader(directory: plan.directory)
        }
        let known = try local { () throws(StoreError) in try reader.deliveryState() }
        print("store      \(plan.directory.path)")
        print("name       \(plan.name)")
        var through = known.deliveredThrough ?? 0
        let reached = Result { () throws(ShippingError) in try centralState(known) }
        if case .success(let state?) = reached { through = state.throughID }
        let waiting = try local { () throws(StoreError) in
            try reader.exchangeCount(after: through)
        }
        print("waiting    \(waiting)")
        print("lost       \(known.undeliveredLost)")
        switch reached {
        case .success(let state?):
            print("delivered  \(state.delivered) as \(state.name), through \(state.throughID)")
            print("too old    \(state.skipped)")
            print("central    reachable")
        case .success(nil): print("central    reachable, nothing delivered yet")
        case .failure(let error):
            print("central    not reachable")
            throw error
        }
    }

    private func centralState(
        _ known: DeliveryState
    ) throws(ShippingError) -> ShipperState? {
        try central { () throws(CentralError) in
            let connection = try PostgresConnection(plan.location, program: "proxyship")
            try CentralMigrator(connection).check()
            guard let storeID = known.storeID else { return nil }
            return try ShipperRegistry(connection).state(storeID: storeID, name: plan.name)
        }
    }
}
