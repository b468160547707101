internal import Capture
internal import ProxydCaptureModel
internal import ProxydCentralStore
internal import ProxydHTTPModel

/// Makes the store known to the central one, and finds out where to go on.
struct Registration {
    /// How many exchanges are compared at a time.
    private static let comparedCount = 1_000

    private let plan: Shipper.Plan
    private let connection: any CentralConnection
    private let reader: StoreReader
    private let notes: DeliveryNotes

    init(
        _ plan: Shipper.Plan, _ connection: any CentralConnection, _ reader: StoreReader,
        _ notes: DeliveryNotes
    ) {
        self.plan = plan
        self.connection = connection
        self.reader = reader
        self.notes = notes
    }

    /// Returns where to go on, and the mark that both sides have from now on.
    func register() throws(ShippingError) -> (state: ShipperState, mark: Int64) {
        let known = try deliveryState()
        guard let storeID = known.storeID else {
            throw .local("the store has no identity yet; start proxyd once")
        }
        let claim = ShipperRegistry.Claim(
            name: plan.name, storeID: storeID, mark: known.mark,
            newMark: Int64.random(in: 1...Int64.max),
            fingerprint: MachineIdentity.fingerprint(),
            retentionAgeDays: plan.configuration.retentionAgeDays.map { Int64($0) },
            takesNewIdentity: plan.takesNewIdentity)
        let registry = ShipperRegistry(connection)
        let finding = try central { () throws(CentralError) in try registry.register(claim) }
        let state: ShipperState
        switch finding {
        case .known(let known): state = known
        case .divergedFrom(let known):
            let common = try lastCommon(with: known)
            state = try central { () throws(CentralError) in
                try registry.fork(claim, from: known, throughID: common)
            }
            ShippingLog.write(
                "the store is not the one that was delivered as \(known.name); what follows "
                    + "exchange \(common) is delivered as \(state.name)")
        }
        // From now on the local store notes what users change.
        try notes.note(
            DeliveryProgress(
                through: state.throughID, mark: claim.newMark,
                changesThrough: state.changeSequence))
        return (state, claim.newMark)
    }

    /// The identity of the store; a recorder gives one to a store of an older version.
    private func deliveryState() throws(ShippingError) -> DeliveryState {
        try local { () throws(StoreError) in try reader.deliveryState() }
    }

    /// The highest number whose exchange was delivered by an earlier shipper, as it is here.
    private func lastCommon(with known: ShipperState) throws(ShippingError) -> Int64 {
        var direction = PageDirection.newest
        while true {
            let page = try local { () throws(StoreError) in
                try reader.rows(direction, limit: Registration.comparedCount)
            }
            guard let last = page.last else { return 0 }
            let delivered = try startTimes(
                page.map { CentralID.id(shipper: known.number, number: $0.id.rawValue) })
            let common = page.first { row in
                let id = CentralID.id(shipper: known.number, number: row.id.rawValue)
                return delivered[id] == row.startedAtNs
            }
            if let common { return common.id.rawValue }
            direction = .before(last.id)
        }
    }

    private func startTimes(_ ids: [Int64]) throws(ShippingError) -> [Int64: Int64] {
        let pairs = try central { () throws(CentralError) in
            try connection.rows(
                "SELECT id, started_ns FROM exchange WHERE id = ANY ($1)", [.integers(ids)]
            ) { row in row.integer(0).flatMap { id in row.integer(1).map { (id, $0) } } }
        }
        return Dictionary(pairs) { first, _ in first }
    }
}
