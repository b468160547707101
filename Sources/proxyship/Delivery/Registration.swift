internal import Capture
internal import ProxydCaptureModel
internal import ProxydCentralStore
internal import ProxydControl
internal import ProxydHTTPModel
internal import Glibc

/// Registers the store with the central one, and determines where to continue.
struct Registration {
    /// How many exchanges are compared at a time.
    private static let comparedCount = 1_000

    let plan: Shipper.Plan
    let connection: any CentralConnection
    let reader: StoreReader
    let notes: DeliveryNotes

    /// Returns where to continue, and the mark that both sides have from now on.
    func register() throws(ShippingError) -> (state: ShipperState, mark: Int64) {
        let known = try deliveryState()
        guard let storeID = known.storeID else {
            throw .local("the store has no identity yet; start proxyd once")
        }
        let claim = ShipperRegistry.Claim(
            name: plan.name, storeID: storeID, mark: known.mark,
            lastNumber: known.lastExchangeID, newMark: Int64.random(in: 1...Int64.max),
            fingerprint: MachineIdentity.fingerprint(),
            retentionAgeDays: plan.configuration.retentionAgeDays.map { Int64($0) },
            takesNewIdentity: plan.takesNewIdentity)
        let registry = ShipperRegistry(connection)
        let finding = try central { () throws(CentralError) in try registry.register(claim) }
        let state: ShipperState
        switch finding {
        case .known(let known) where try isSame(known): state = known
        case .known(let known), .divergedFrom(let known):
            state = try fork(claim, from: known, registry)
        }
        // From now on the local store records what users change.
        try notes.note(
            DeliveryProgress(
                through: state.throughID, mark: claim.newMark,
                changesThrough: state.changeSequence))
        return (state, claim.newMark)
    }

    /// Continues as another shipper.
    private func fork(
        _ claim: ShipperRegistry.Claim, from known: ShipperState, _ registry: ShipperRegistry
    ) throws(ShippingError) -> ShipperState {
        let common = try lastCommon(with: known)
        let state = try central { () throws(CentralError) in
            try registry.fork(claim, from: known, throughID: common)
        }
        ShippingLog.write(
            "the store is not the one that was delivered as \(known.name); what follows exchange "
                + "\(common) is delivered as \(state.name)")
        return state
    }

    /// Whether the last delivered exchanges are those that the store has by the same numbers: one
    /// that was restored from a backup reuses numbers.
    private func isSame(_ known: ShipperState) throws(ShippingError) -> Bool {
        let before = PageDirection.before(ExchangeID(rawValue: known.throughID &+ 1))
        let page = try local { () throws(StoreError) in
            try reader.rows(before, limit: Registration.comparedCount)
        }
        let lineage = try lineage(of: known)
        let delivered = try startTimes(page.map { lineage.id(of: $0.id.rawValue) })
        return page.allSatisfy { row in
            let start = delivered[lineage.id(of: row.id.rawValue)]
            return start == nil || start == row.startedAtNs
        }
    }

    private func lineage(of state: ShipperState) throws(ShippingError) -> ShipperLineage {
        try central { () throws(CentralError) in
            try ShipperRegistry(connection).lineage(of: state)
        }
    }

    /// The identity of the store; a recorder gives one to a store of an older version.
    private func deliveryState() throws(ShippingError) -> DeliveryState {
        try local { () throws(StoreError) in try reader.deliveryState() }
    }

    /// The highest number whose exchange was delivered by an earlier shipper as it is here.
    private func lastCommon(with known: ShipperState) throws(ShippingError) -> Int64 {
        let lineage = try lineage(of: known)
        var direction = PageDirection.newest
        while true {
            let page = try local { () throws(StoreError) in
                try reader.rows(direction, limit: Registration.comparedCount)
            }
            guard let last = page.last else { return 0 }
            let delivered = try startTimes(page.map { lineage.id(of: $0.id.rawValue) })
            let common = page.first { row in
                delivered[lineage.id(of: row.id.rawValue)] == row.startedAtNs
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

/// Distinguishes this machine from another one that has a copy of its disk.
enum MachineIdentity {
    /// The identifier of the installation (machine-id(5)), or else the host's name.
    static func fingerprint() -> String {
        for path in ["/etc/machine-id", "/var/lib/dbus/machine-id"] {
            if let line = firstLine(of: path), !line.isEmpty { return "machine:\(line)" }
        }
        return "host:\(hostName() ?? "unknown")"
    }

    /// The host's name up to its first dot, as a name for its store.
    static func hostName() -> String? {
        var name = [CChar](repeating: 0, count: 256)
        guard gethostname(&name, name.count - 1) == 0 else { return nil }
        return storeName(name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)))
    }

    /// A host's name up to its first dot, with hyphens for bytes that a store's name may not have.
    static func storeName(_ host: [UInt8]) -> String? {
        let first = host.split(separator: UInt8(ascii: ".")).first ?? []
        let name = first.prefix(ShippingConfiguration.nameByteCountMax).map { byte in
            let letter = String(decoding: [byte], as: UTF8.self)
            return ShippingConfiguration.isName(letter) ? letter : "-"
        }
        return name.isEmpty ? nil : name.joined()
    }

    private static func firstLine(of path: String) -> String? {
        guard let file = fopen(path, "re") else { return nil }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 256)
        guard fgets(&line, Int32(line.count), file) != nil else { return nil }
        let text = String(
            decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        return String(text.prefix { !$0.isWhitespace })
    }
}

/// Records in the local store how far it was delivered: through the daemon if one is running,
/// otherwise as the store's only writer.
struct DeliveryNotes {
    /// How long the daemon may take, in nanoseconds.
    private static let timeoutNs: Int64 = 30_000_000_000

    let directory: DataDirectory

    func note(_ progress: DeliveryProgress) throws(ShippingError) {
        do throws(ControlError) {
            let daemon = try ControlClient(
                dataDirectory: directory.path, timeoutNs: DeliveryNotes.timeoutNs)
            return try daemon.noteDelivery(progress)
        } catch {
            guard error.kind == .notRunning else { throw .local(error.message) }
        }
        do throws(StoreError) {
            var configuration = RecorderConfiguration()
            configuration.durability = .always
            configuration.retention = RetentionPolicy()
            let recorder = try Recorder(directory: directory, configuration: configuration)
            defer { recorder.stop() }
            try recorder.wait { recorder.noteDelivery(progress, completion: $0) }
        } catch {
            throw .local(error.description)
        }
    }
}
