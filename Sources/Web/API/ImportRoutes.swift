internal import ProxydCaptureModel
internal import ProxydExchangeContent
internal import ProxydHTTPModel
internal import ProxydOperations
internal import ProxydParameterCoding
internal import ProxydWebServer
internal import Synchronization

/// `POST /api/v1/imports`: the body is a file of exchanges, which is imported, or only looked into.
/// One at a time.
struct ImportRoutes: Sendable {
    let store: SharedReader
    let services: WebServices
    let files: LookedIntoFiles
    private let gate = ImportGate()

    init(store: SharedReader, services: WebServices, files: LookedIntoFiles) {
        self.store = store
        self.services = services
        self.files = files
    }

    func add(to router: inout WebRouter) {
        router.addUpload("/api/v1/imports", to: receive, importFile)
    }

    private func receive(_ request: WebRequest) throws -> any WebUpload {
        guard let importing = services.actions.importing else {
            throw WebProblem(403, "nothing can be imported into this store")
        }
        _ = try ImportParameters(request)
        let type = request.fields["Content-Type"]?.lowercased() ?? ""
        guard type.hasPrefix("application/octet-stream") else {
            throw WebProblem(415, "the body must be application/octet-stream")
        }
        guard gate.enter() else { throw WebProblem(409, "another file is being imported") }
        do {
            return ReceivedFile(try importing.receive(), importing.byteCountMax, gate)
        } catch {
            gate.leave()
            throw error
        }
    }

    private func importFile(_ request: WebRequest) throws -> WebResponse {
        guard let importing = services.actions.importing,
            let received = request.upload as? ReceivedFile
        else { throw WebProblem(403, "nothing can be imported into this store") }
        // Before the answer, after which the client may send the next file.
        defer { received.finish() }
        let file = try received.file()
        let parameters = try ImportParameters(request)
        let cancellation = request.cancellation
        if parameters.onlyLooks {
            let look = try files.open(
                file, named: parameters.name, isCancelled: { cancellation.isCancelled })
            return .json(look)
        }
        let outcome = try importing.importExchanges(
            of: file, named: parameters.name, tag: parameters.tag,
            isCancelled: { cancellation.isCancelled })
        return .json(
            .members([
                ("imported", .integer(outcome.importedCount)),
                ("refused", .integer(outcome.refusedCount)),
                ("first", .text(outcome.first.map { "\($0)" })),
                ("last", .text(outcome.last.map { "\($0)" })),
                ("remarks", .strings(outcome.remarks)),
            ]))
    }
}

/// What the query of an import says.
private struct ImportParameters {
    private static let tagByteCountMax = 1_024
    private static let nameCharacterCountMax = 200

    /// The file's name at the client, for messages.
    let name: String
    let tag: String?
    let onlyLooks: Bool

    init(_ request: WebRequest) throws(WebProblem) {
        name = String((request.parameter("name") ?? "the file").prefix(Self.nameCharacterCountMax))
        tag = request.parameter("tag").flatMap { $0.isEmpty ? nil : $0 }
        guard (tag?.utf8.count ?? 0) <= Self.tagByteCountMax else {
            throw WebProblem(400, "a tag has at most \(Self.tagByteCountMax) bytes")
        }
        switch request.parameter("mode") {
        case nil, "import": onlyLooks = false
        case "look": onlyLooks = true
        default: throw WebProblem(400, "mode must be import or look")
        }
    }
}

/// Lets one import in at a time.
private final class ImportGate: Sendable {
    private let isTaken = Atomic(false)

    func enter() -> Bool {
        isTaken.compareExchange(expected: false, desired: true, ordering: .acquiringAndReleasing)
            .exchanged
    }

    func leave() { isTaken.store(false, ordering: .releasing) }
}

/// A file on its way; it is gone when the request has been answered, or breaks off.
private final class ReceivedFile: WebUpload {
    let byteCountMax: Int64
    private let kept: Mutex<(any UploadedFile)?>
    private let gate: ImportGate

    init(_ file: any UploadedFile, _ byteCountMax: Int64, _ gate: ImportGate) {
        kept = Mutex(file)
        self.byteCountMax = byteCountMax
        self.gate = gate
    }

    deinit { finish() }

    func file() throws(WebProblem) -> any UploadedFile {
        guard let file = kept.withLock({ $0 }) else { throw WebProblem(502, "the file is gone") }
        return file
    }

    /// Lets the next one in, and removes the file.
    func finish() {
        let file = kept.withLock { $0.take() }
        if file != nil { gate.leave() }
    }

    func append(_ bytes: Span<UInt8>) throws { try file().append(bytes) }
}

/// Files that clients look into without importing them. Each has a page of its own, below
/// `/files/NUMBER/`, which shows it as a store that can only be read.
final class LookedIntoFiles: Sendable {
    /// A further file takes the place of the oldest.
    private static let countMax = 8

    private struct State {
        var lastNumber = 0
        var open: [(number: Int, file: LookedIntoFile, api: WebAPI)] = []
    }

    private let services: WebServices
    private let state = Mutex(State())

    init(_ services: WebServices) { self.services = services }

    func router(_ name: String) -> WebRouter? {
        state.withLock { state in
            state.open.first { "\($0.number)" == name }?.api.router
        }
    }

    func open(
        _ upload: any UploadedFile, named name: String, isCancelled: @escaping @Sendable () -> Bool
    ) throws -> JSONValue {
        guard let look = services.lookInto else {
            throw WebProblem(403, "no file can be looked into here")
        }
        let file = try look(upload, name, isCancelled)
        guard let api = WebAPI(file.services) else {
            throw WebProblem(502, "the system refuses to start a thread (see ulimit -u)")
        }
        let number = keep(file, api)
        return .members([
            ("file", .string("\(number)")), ("name", .string(name)),
            ("exchanges", .integer(file.outcome.importedCount)),
            ("refused", .integer(file.outcome.refusedCount)),
            ("remarks", .strings(file.outcome.remarks)),
        ])
    }

    private func keep(_ file: LookedIntoFile, _ api: WebAPI) -> Int {
        let (number, former) = state.withLock { state in
            state.lastNumber += 1
            state.open.append((state.lastNumber, file, api))
            let isFull = state.open.count > LookedIntoFiles.countMax
            return (state.lastNumber, isFull ? state.open.removeFirst() : nil)
        }
        if let former { LookedIntoFiles.close(former.file, former.api) }
        return number
    }

    private static func close(_ file: LookedIntoFile, _ api: WebAPI) {
        api.stop()
        file.close()
    }

    func closeAll() {
        let open = state.withLock { state in
            defer { state.open = [] }
            return state.open
        }
        for one in open { LookedIntoFiles.close(one.file, one.api) }
    }
}
