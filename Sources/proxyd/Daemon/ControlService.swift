internal import Capture
internal import ProxydCaptureModel
internal import ProxydCivilTime
internal import ProxydConfigurationText
internal import ProxydControl
internal import ProxydDaemonConfiguration
internal import ProxydEventLoops
internal import ProxydFilter
internal import ProxydHTTPModel
internal import ProxydProxyEngine
internal import ProxydRuleActing
internal import ProxydSystem
internal import FoundationEssentials
internal import Glibc
internal import Synchronization

/// Carries out the commands of proxyctl and other control clients; all writes go through the one
/// recorder.
final class ControlService: ControlHandler {
    /// Where clients connect.
    struct Addresses: Sendable {
        var all: [String] = []
        /// Those at which clients use the daemon as an HTTP proxy.
        var ofProxies: [String] = []
        /// Those at which it takes connections that the firewall redirects.
        var transparent: [String] = []
    }

    private let recorder: Recorder
    private let recording: RecordingSwitch
    private let interception: InterceptionSwitch
    private let engine: ProxyEngine
    private let directory: DataDirectory
    private let startedAt: Int64
    private let addresses = Mutex(Addresses())
    private let serverRules: Mutex<ServerRulesStatus>
    private let keeper: RulesKeeper
    private let holds: HoldService
    /// The addresses that the proxy must not connect to because control clients listen there.
    private let guarded = Mutex<[ControlClientID: [SocketAddress]]>([:])
    /// The maximum number of guarded addresses per client.
    private static let guardedCountMax = 16

    init(
        recorder: Recorder, recording: RecordingSwitch, interception: InterceptionSwitch,
        engine: ProxyEngine, directory: DataDirectory, startedAt: Int64, rules: ServerRules,
        keeper: RulesKeeper
    ) {
        serverRules = Mutex(ServerRulesStatus(rules))
        self.keeper = keeper
        holds = HoldService(keeper)
        self.recorder = recorder
        self.recording = recording
        self.interception = interception
        self.engine = engine
        self.directory = directory
        self.startedAt = startedAt
    }

    func setAddresses(_ addresses: Addresses) { self.addresses.withLock { $0 = addresses } }

    func setServerRules(_ rules: ServerRules) {
        let message = ServerRulesStatus(rules)
        serverRules.withLock { $0 = message }
    }

    func serverRules(completion: @escaping ControlCompletion<ServerRulesStatus>) {
        completion(.success(serverRules.withLock { $0 }))
    }

    func rules(completion: @escaping ControlCompletion<RulesStatus>) {
        completion(.success(RulesStatus(keeper)))
    }

    func reloadRules(completion: @escaping ControlCompletion<RulesStatus>) {
        // Mistakes are reported together with the active rules.
        try? keeper.reload()
        completion(.success(RulesStatus(keeper)))
    }

    func hold(
        _ command: HoldCommand, for client: ControlClientID,
        completion: @escaping ControlCompletion<ControlResult>
    ) {
        holds.perform(command, for: client, completion: completion)
    }

    func clientLeft(_ client: ControlClientID) {
        holds.clientLeft(client)
        let released = guarded.withLock { $0.removeValue(forKey: client) ?? [] }
        for address in released { engine.releaseAddress(address) }
    }

    func guardAddress(
        ip: String, port: UInt16, for client: ControlClientID,
        completion: @escaping ControlCompletion<Void>
    ) {
        guard let address = SocketAddress(ip: ip, port: port) else {
            return completion(.failure(ControlError(.badMessage, "\(ip) is not an address")))
        }
        let isTaken = guarded.withLock { guarded in
            guard guarded[client, default: []].count < ControlService.guardedCountMax else {
                return false
            }
            guarded[client, default: []].append(address)
            return true
        }
        guard isTaken else {
            return completion(.failure(ControlError(.badMessage, "too many addresses")))
        }
        engine.guardAddress(address)
        completion(.success(()))
    }

    func publishHolds(to server: ControlServer) { holds.publish(to: server) }

    func changeRules(_ change: RulesUpdate, completion: @escaping ControlCompletion<RulesStatus>) {
        do {
            switch change {
            case .change(let change): try keeper.change(change)
            case .forgetAll: try keeper.forgetChanges()
            }
            completion(.success(RulesStatus(keeper)))
        } catch let error as ConfigurationError {
            completion(.failure(ControlError(.badRules, error.description)))
        } catch {
            completion(.failure(ControlError(.failed, "\(error)")))
        }
    }

    /// Tells subscribers what each commit changed, while the returned subscription is retained.
    static func publish(
        changesOf recorder: Recorder, to server: ControlServer
    ) -> StoreSubscription {
        recorder.subscribe { change in
            let changed = change.inserted + change.updated
            if !changed.isEmpty { server.publish(.changed(ids: changed.map(\.rawValue))) }
            if !change.removed.isEmpty {
                server.publish(.removed(exchangeCount: change.removed.count))
            }
        }
    }

    func status(completion: @escaping ControlCompletion<DaemonStatus>) {
        let recorded = recorder.status
        let addresses = addresses.withLock { $0 }
        var status = DaemonStatus(
            version: Version.number, pid: getpid(), startedAt: startedAt,
            listenAddresses: addresses.all, dataDirectory: directory.path)
        status.proxyAddresses = addresses.ofProxies
        status.transparentAddresses = addresses.transparent
        status.recordingStoppedBecause =
            recording.isOn ? recorded.stoppedBecause : "it was switched off"
        let rules = keeper.current
        status.rulesProblem = rules.problems.first
        status.rulesChangeCount = rules.changeCount
        status.intercept = holds.intercept
        status.activeExchangeCount = recorded.activeCount
        status.finishedExchangeCount = recording.finishedCount
        status.unrecordedExchangeCount = recording.unrecordedCount
        status.switchedHosts = Dictionary(uniqueKeysWithValues: interception.switched)
        status.storedExchangeCount = recorded.exchangeCount
        status.queuedByteCount = Int64(recorded.queueByteCount)
        status.droppedExchangeCount = recorded.droppedExchangeCount
        status.droppedBodyByteCount = recorded.droppedBodyByteCount
        status.droppedConnectionCount = recorded.droppedConnectionCount
        status.storeByteCount = recorded.storeByteCount
        status.walByteCount = recorded.walByteCount
        status.residentByteCount = ResidentMemory.byteCount()
        status.processorNs = ProcessFacts.processorNs()
        status.openDescriptorCount = ProcessFacts.openDescriptorCount()
        status.descriptorCountMax = ProcessFacts.descriptorCountMax()
        status.freeByteCount = ProcessFacts.freeByteCount(at: directory.path)
        engine.countConnections { [status] clients, servers in
            var status = status
            status.clientConnectionCount = clients
            status.serverConnectionCount = servers
            completion(.success(status))
        }
    }

    func commit(completion: @escaping ControlCompletion<Void>) {
        engine.finishTurns { [recorder] in recorder.commitSoon { completion(.success(())) } }
    }

    func setRecording(_ isOn: Bool, completion: @escaping ControlCompletion<Void>) {
        recording.turn(on: isOn)
        completion(.success(()))
    }

    func toggleInterception(
        ofHost host: String, port: UInt16, completion: @escaping ControlCompletion<Bool>
    ) {
        do throws(InterceptionSwitch.Refusal) {
            completion(.success(try interception.toggle(host, port)))
        } catch {
            completion(.failure(ControlError(.failed, error.message)))
        }
    }

    func annotate(_ change: AnnotationChange, completion: @escaping ControlCompletion<Int>) {
        recorder.annotate(change) { completion($0.map { 1 }.mapError(ControlError.init)) }
    }

    func noteDelivery(_ progress: DeliveryProgress, completion: @escaping ControlCompletion<Void>) {
        recorder.noteDelivery(progress) { completion($0.mapError(ControlError.init)) }
    }

    func addProtoFile(_ file: ProtoFile, completion: @escaping ControlCompletion<Void>) {
        recorder.addProtoFiles([file]) { completion($0.mapError(ControlError.init)) }
    }

    func removeProtoFile(named name: String, completion: @escaping ControlCompletion<Void>) {
        recorder.removeProtoFile(named: name) { outcome in
            switch outcome {
            case .success(true): completion(.success(()))
            case .success(false):
                completion(.failure(ControlError(.notFound, "there is no such file")))
            case .failure(let error): completion(.failure(ControlError(error)))
            }
        }
    }

    func clear(filter: String?, completion: @escaping ControlCompletion<Int>) {
        guard let filter else {
            return recorder.clear(.unpinned) {
                completion($0.map { Int(clamping: $0) }.mapError(ControlError.init))
            }
        }
        // Finding the exchanges that a filter matches reads the store, which may take a while.
        let isStarted = startDetachedThread(stackByteCount: 1 << 20) { [recorder, directory] in
            do throws(ControlError) {
                let ids = try ControlService.matches(of: filter, in: directory)
                recorder.clear(.exchanges(ids)) {
                    completion($0.map { Int(clamping: $0) }.mapError(ControlError.init))
                }
            } catch {
                completion(.failure(error))
            }
        }
        if !isStarted {
            completion(.failure(ControlError(.failed, "the system cannot start a thread")))
        }
    }

    private static func matches(
        of text: String, in directory: DataDirectory
    ) throws(ControlError) -> [ExchangeID] {
        let filter: Filter
        do {
            filter = try Filter.parse(text)
        } catch {
            throw ControlError(.badFilter, error.message, column: error.column)
        }
        var ids: [ExchangeID] = []
        do {
            let reader = try StoreReader(directory: directory)
            try reader.forEachRow(matching: filter, .oldest) {
                ids.append($0.id)
                return true
            }
        } catch {
            throw ControlError(error)
        }
        return ids
    }

    func nextExchangeID() -> ExchangeID { recorder.nextExchangeID() }

    func nextConnectionID() -> ConnectionID { recorder.nextConnectionID() }

    func importExchanges(
        connections: [ConnectionRecord], updates: [ExchangeUpdate],
        completion: @escaping ControlCompletion<Void>
    ) {
        for connection in connections { recorder.record(connection) }
        for update in updates { recorder.record(update) }
        recorder.flush { completion($0.mapError(ControlError.init)) }
    }
}

extension ServerRulesStatus {
    /// The rules in the format for control clients. A client may have a different environment, so
    /// the file in this process's `SSL_CERT_FILE` is included as an extra one.
    init(_ rules: ServerRules) {
        let named = ProcessInfo.processInfo.environment["SSL_CERT_FILE"] ?? ""
        let path = named.isEmpty ? [] : [URL(fileURLWithPath: named).path]
        self.init(
            extraCAFiles: rules.extraCAFiles + path,
            unverifiedHosts: rules.unverifiedHosts.map(\.text),
            deniedNetworks: rules.deniedNetworks.map(\.description))
    }
}

extension ControlError {
    init(_ error: StoreError) {
        if case .notFound = error {
            self.init(.notFound, "\(error)")
        } else {
            self.init(.failed, "\(error)")
        }
    }
}

extension RecorderStatus {
    /// Why recording is stopped, or nil while it runs.
    var stoppedBecause: String? {
        switch state {
        case .recording: nil
        case .paused(let reason): "\(reason.text)\(lastError.map { ": \($0)" } ?? "")"
        case .stopped: "the recorder has stopped"
        }
    }
}

extension RecorderStatus.PauseReason {
    fileprivate var text: String {
        switch self {
        case .diskFull: "the disk is full"
        case .locked: "another process holds a lock on the database"
        case .ioError: "reading or writing the database failed"
        }
    }
}

/// The process's resource use and limits. A value is nil if the system does not report it.
enum ProcessFacts {
    /// Processor time since the start in nanoseconds, in user space and in the kernel.
    static func processorNs() -> Int64? {
        var time = timespec()
        guard clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time) == 0 else { return nil }
        return Nanoseconds.clamping(seconds: Int64(time.tv_sec)) &+ Int64(time.tv_nsec)
    }

    static func openDescriptorCount() -> Int? {
        guard let folder = opendir("/proc/self/fd") else { return nil }
        defer { closedir(folder) }
        // The folder and its parent are entries, too, and so is the descriptor that reads it.
        var count = -3
        while readdir(folder) != nil { count += 1 }
        return max(0, count)
    }

    static func descriptorCountMax() -> Int? {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else {
            return nil
        }
        return Int(clamping: limit.rlim_cur)
    }

    /// The free space for this user in the file system of a path, in bytes.
    static func freeByteCount(at path: String) -> Int64? {
        var facts = statvfs()
        guard statvfs(path, &facts) == 0 else { return nil }
        let (count, isTooLarge) = UInt64(facts.f_bavail)
            .multipliedReportingOverflow(by: UInt64(facts.f_frsize))
        return isTooLarge ? Int64.max : Int64(clamping: count)
    }
}

/// Reads the memory use of the process.
enum ResidentMemory {
    /// Resident bytes as the kernel counts them, or nil if /proc cannot be read.
    static func byteCount() -> Int64? {
        let file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: 128)
        let count = read(file, &bytes, bytes.count)
        guard count > 0 else { return nil }
        let words = String(decoding: bytes[..<count], as: UTF8.self).split(separator: " ")
        guard words.count > 1, let pages = Int64(words[1]) else { return nil }
        return pages &* Int64(sysconf(Int32(_SC_PAGESIZE)))
    }
}
