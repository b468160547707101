internal import Capture
internal import ClientLib
internal import ProxydCaptureModel
internal import ProxydCentralStore
internal import ProxydControl
internal import ProxydExchangeContent
internal import ProxydFilter
internal import ProxydHTTPModel
internal import ProxydOperations
internal import ProxydRedaction
internal import Glibc
internal import Synchronization

extension HostActions {
    /// What users may do with the store of a data directory and its daemon. A file that is only
    /// read is never changed, and no daemon knows it. In a central store only annotations are
    /// changed; replays are recorded locally.
    static func of(_ location: StoreLocation) -> HostActions {
        let directory = location.directory
        var actions = HostActions()
        actions.exporting = StoreExporter(location: location)
        actions.certificates = { CertificateReport.facts($0) }
        guard !LeadingFile.isNamed else { return actions }
        actions.replaying = StoreReplayer(location: location)
        if let central = location.central {
            actions.annotating = CentralAnnotator(reader: central)
            actions.recordsElsewhere = true
            return actions
        }
        let holds = DaemonHolds(directory)
        actions.annotating = StoreAnnotator(directory: directory)
        actions.deleting = StoreDeleter(directory: directory)
        actions.statusReporting = DaemonInspector(directory: directory, holds: holds)
        actions.holdHandling = holds
        actions.ruleEditing = StoreRuleEditing(directory: directory)
        actions.daemonControl = RunningDaemonControl(directory: directory)
        return actions
    }
}

/// Reports the state of daemon and store to the status bar.
struct DaemonInspector: StatusReporting {
    let directory: DataDirectory
    let holds: DaemonHolds

    func facts() -> StatusFacts {
        var facts = daemonFacts()
        facts.certificatePath = (try? AuthorityAccess(directory))?.certificatePath
        let options = isStandard ? [] : ["--data-dir", directory.path]
        facts.ownCommand = ShellQuoting.join(["proxyctl"] + options)
        facts.daemonCommand = ShellQuoting.join(["proxyd"] + options)
        return facts
    }

    /// Whether the directory is found without an option.
    private var isStandard: Bool {
        DataDirectory.standard(environment: Environment.current.variables)?.path
            == directory.path
    }

    private func daemonFacts() -> StatusFacts {
        if let client = try? ControlClient(dataDirectory: directory.path),
            let status = try? client.status()
        {
            var facts = DaemonInspector.facts(status)
            // A daemon that is older than this program holds nothing.
            facts.holds = (try? client.holds()) ?? []
            facts.isTakingHolds = holds.isTaking
            return facts
        }
        var facts = StatusFacts()
        facts.isDaemonRunning = false
        if let store = StoreFileStatus(directory) {
            facts.exchangeCount = store.exchangeCount
            facts.storeByteCount = store.storeByteCount.addingClamped(store.walByteCount)
        }
        return facts
    }

    private static func facts(_ status: DaemonStatus) -> StatusFacts {
        var facts = StatusFacts()
        facts.isDaemonRunning = true
        facts.recordingStoppedBecause = status.recordingStoppedBecause
        facts.rulesProblem = status.rulesProblem.map(DaemonInspector.short)
        facts.exchangeCount = status.storedExchangeCount
        facts.storeByteCount = status.storeByteCount.addingClamped(status.walByteCount)
        facts.droppedExchangeCount = status.droppedExchangeCount
        facts.droppedBodyByteCount = status.droppedBodyByteCount
        facts.listenAddresses = status.listenAddresses
        facts.proxyAddress = status.proxyAddress
        facts.intercept = status.intercept
        facts.rulesChangeCount = status.rulesChangeCount
        return facts
    }

    /// An error with the file's name instead of its path.
    private static func short(_ problem: String) -> String {
        let place = problem.prefix { $0 != ":" }
        guard let slash = place.lastIndex(of: "/") else { return problem }
        return String(problem[slash...].dropFirst())
    }
}

/// Pauses and resumes recording.
struct RunningDaemonControl: DaemonControl {
    let directory: DataDirectory

    func toggleInterception(ofHost host: String, port: UInt16) throws -> Bool {
        try InterfaceFailure.explaining {
            try ControlClient(dataDirectory: directory.path)
                .toggleInterception(ofHost: host, port: port)
        }
    }

    func setRecording(_ isOn: Bool) throws {
        try InterfaceFailure.explaining {
            try ControlClient(dataDirectory: directory.path).setRecording(isOn)
        }
    }
}

/// Writes exchanges, as `proxyctl export` does.
struct StoreExporter: ExchangeExporting {
    let location: StoreLocation

    func export(
        _ order: ExportOrder, write: @escaping @Sendable ([UInt8]) throws -> Void,
        progress: (ExportProgress) -> Bool
    ) throws -> ExportSummary {
        let sink = ForwardingSink(write)
        var isWanted = true
        let report = try InterfaceFailure.explaining {
            let run = ExportRun(
                reader: try location.reader(), filter: try StoreExporter.filter(order),
                ids: StoreExporter.ids(order), sink: sink,
                redactor: order.isRedacted ? StoreExporter.redactor(order.hiddenNames) : nil)
            return try run.write(StoreExporter.format(order.format), { !isWanted }) {
                isWanted = progress(ExportProgress(exchangeCount: $1, fraction: $0))
            }
        }
        if let error = sink.error { throw error }
        return ExportSummary(
            exchangeCount: report.exchangeCount, leftOutCount: report.leftOutCount,
            withoutCommandCount: report.withoutCommandCount)
    }

    private static func redactor(_ names: HiddenNames) -> ExchangeRedactor {
        ExchangeRedactor(Redaction(addingFields: names.fields, parameters: names.parameters))
    }

    private static func ids(_ order: ExportOrder) -> [ExchangeID]? {
        guard case .exchanges(let ids) = order.selection else { return nil }
        return ids
    }

    private static func filter(_ order: ExportOrder) throws -> Filter {
        guard case .filter(let text) = order.selection else { return .everything }
        return try FilterArgument.parse(text)
    }

    private static func format(_ format: ExportOrder.Format) -> ExportCommand.Format {
        switch format {
        case .har: .har
        case .curl: .curl
        case .jsonl: .jsonl
        case .openapi: .openapi
        case .postman: .postman
        case .k6: .k6
        }
    }
}

/// Passes bytes on immediately, and stores the first error.
final class ForwardingSink: ByteSink {
    private let take: @Sendable ([UInt8]) throws -> Void
    private let firstError = Mutex<(any Error)?>(nil)

    init(_ take: @escaping @Sendable ([UInt8]) throws -> Void) { self.take = take }

    /// The first error, or nil if all bytes were passed on.
    var error: (any Error)? { firstError.withLock { $0 } }

    func write(_ bytes: [UInt8]) {
        guard error == nil else { return }
        do {
            try take(bytes)
        } catch {
            firstError.withLock { $0 = error }
        }
    }

    func flush() {}

    var failure: Int32? { error == nil ? nil : EIO }
}

/// Writes notes, tags and pins, as `proxyctl mark` does.
struct StoreAnnotator: ExchangeAnnotating {
    let directory: DataDirectory

    func annotate(_ changes: [AnnotationChange]) throws {
        try InterfaceFailure.explaining { try StoreChanger.open(directory).annotate(changes) }
    }
}

/// Writes notes, tags and pins into a central store, if the user's role may.
struct CentralAnnotator: ExchangeAnnotating {
    let reader: CentralReader

    func annotate(_ changes: [AnnotationChange]) throws {
        try InterfaceFailure.explaining { for change in changes { try reader.annotate(change) } }
    }
}

/// Deletes exchanges that are not pinned, as `proxyctl clear` does.
struct StoreDeleter: ExchangeDeleting {
    let directory: DataDirectory

    func delete(passing filter: String) throws -> Int {
        try InterfaceFailure.explaining {
            let filter = try FilterArgument.parse(filter)
            return try StoreChanger.open(directory).clear(try FilterArgument.unpinned(filter))
        }
    }
}

/// An error message for the hint line.
struct InterfaceFailure: Error, CustomStringConvertible {
    let description: String

    /// Runs a closure and converts its errors to messages for users.
    static func explaining<Value>(_ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch let error as ClientError {
            throw InterfaceFailure(description: error.message)
        } catch {
            guard let failure = CommandFailure(explaining: error) else { throw error }
            throw InterfaceFailure(description: failure.message ?? "it failed")
        }
    }
}
