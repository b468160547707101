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
        let local = try local { () throws(StoreError) in try reader.deliveryState() }
        print("store      \(plan.directory.path)")
        print("name       \(plan.name)")
        var through = local.deliveredThrough ?? 0
        let reached = Result { () throws(ShippingError) in try centralState(local) }
        if case .success(let state?) = reached { through = state.throughID }
        let waiting = try ShippingFigures.waiting(reader, after: through)
        print("waiting    \(waiting)")
        print("lost       \(local.undeliveredLost)")
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
        _ local: DeliveryState
    ) throws(ShippingError) -> ShipperState? {
        try central { () throws(CentralError) in
            let connection = try PostgresConnection(plan.location, program: "proxyship")
            try CentralMigrator(connection).check()
            guard let storeID = local.storeID else { return nil }
            return try ShipperRegistry(connection).state(storeID: storeID, name: plan.name)
        }
    }
}

/// Figures about the local store.
enum ShippingFigures {
    /// How many exchanges have higher numbers than the last one that was delivered.
    static func waiting(
        _ reader: StoreReader, after id: Int64
    ) throws(ShippingError) -> Int64 {
        try local { () throws(StoreError) in try reader.exchangeCount(after: id) }
    }
}
