internal import ProxydHTTPModel
internal import FoundationEssentials
internal import Glibc
internal import Synchronization

/// Writes a response into a temporary file, and moves it to its destination.
///
/// ```
/// none ──begin──▶ writing ──finish──▶ complete ──settle──▶ moved
///                   └──fail──▶ none, or kept to be gone on with
/// ```
///
/// A partial file is removed only by a response that replaces it, or that shows that it belongs to
/// another version: a response such as 503 leaves it.
final class DownloadFile: BodyConsumer {
    private struct State: Sendable {
        var file: TemporaryFile?
        /// The partial file of an earlier download or attempt.
        var resumed: DownloadResumeData?
        /// The range that is appended to the partial file, or nil if the file is a new one.
        var range: ContentRange?
        var head: ResponseHead?
        var url: String?
        var isResumable = false
        var keepsPartOnCancel = false
    }

    private let destination: DownloadRequest.Destination?
    private let state: Mutex<State>

    init(destination: DownloadRequest.Destination?, resuming: DownloadResumeData?) {
        self.destination = destination
        state = Mutex(State(resumed: resuming))
    }

    /// Whether the partial file is kept when the request is cancelled.
    var keepsPartOnCancel: Bool {
        get { state.withLock { $0.keepsPartOnCancel } }
        set { state.withLock { $0.keepsPartOnCancel = newValue } }
    }

    // MARK: BodyConsumer

    var range: ContentRange? { state.withLock { $0.range } }

    func prepare(_ request: inout HTTPRequest) throws(ClientError) {
        let url = request.url.description
        let (resumed, superseded) = state.withLock { state in
            state.url = url
            state.range = nil
            defer { state.file = nil }
            return (state.resumed, state.file)
        }
        superseded?.remove()
        // A download with a content coding could not be resumed: an offset in the decoded file does
        // not correspond to one in the encoded body.
        request.fields.setIfAbsent(name: "Accept-Encoding", value: "identity")
        guard let resumed, let validator = resumed.entityTag ?? resumed.lastModified else { return }
        request.fields.set(name: "Range", value: "bytes=\(resumed.byteCount)-")
        request.fields.set(name: "If-Range", value: validator)
    }

    func begin(_ head: ResponseHead, isIdentity: Bool) async throws(ClientError) {
        let file: TemporaryFile
        var range: ContentRange?
        if head.status == 206, let resumed = state.withLock({ $0.resumed }) {
            range = try rest(of: resumed, in: head, isIdentity: isIdentity)
            file = try TemporaryFile(appendingTo: resumed.filePath, byteCount: resumed.byteCount)
        } else {
            if (200..<300).contains(head.status) { dropPart() }
            file = try TemporaryFile()
        }
        state.withLock { [range] state in
            state.file = file
            state.head = head
            state.range = range
            state.isResumable = isIdentity && (head.status == 200 || range != nil)
        }
    }

    func take(_ bytes: [UInt8]) async throws(ClientError) {
        try state.withLock { $0.file }?.write(bytes)
    }

    func finish(_ completion: inout RequestOutcome) async throws(ClientError) {
        let (file, range) = state.withLock { ($0.file, $0.range) }
        file?.close()
        if let file, let range {
            guard file.byteCount <= range.end else {
                throw ClientError(
                    .network(.malformedResponse),
                    message: "the server sent more than the range it announced")
            }
            guard file.byteCount == range.totalByteCount else {
                throw ClientError(
                    .network(.closedEarly), phase: .receive,
                    message: "the server sent less than the requested rest")
            }
        }
        completion.filePath = file?.path
    }

    func settle(_ completion: inout RequestOutcome) async throws(ClientError) {
        let (file, head, part) = state.withLock { state in
            if state.range != nil { state.resumed = nil }
            return (state.file, state.head, state.resumed)
        }
        completion.resumeData = part
        guard let destination, let file, let head else { return }
        let (url, options) = DownloadName.$url.withValue(completion.request?.url) {
            destination(URL(filePath: file.path), head)
        }
        try file.move(to: url, options)
        completion.filePath = url.path(percentEncoded: false)
    }

    func fail(_ error: ClientError, _ completion: inout RequestOutcome) async {
        completion.filePath = nil
        let (removed, data) = state.withLock { state in
            let keeps = state.keepsPartOnCancel
            let file = state.file
            defer { state.file = nil }
            if state.resumed != nil, state.range == nil {
                // The partial file was not touched; the new file contains an unrelated response.
                let isGivenUp = error.kind == .explicitlyCancelled && !keeps
                return (file, isGivenUp ? nil : state.resumed)
            }
            state.resumed = error.isInterruption || keeps ? DownloadFile.resumeData(state) : nil
            return (state.resumed == nil ? file : nil, state.resumed)
        }
        removed?.close()
        removed?.remove()
        completion.resumeData = data
    }

    // MARK: Partial files

    /// The range of a 206 response that continues a partial file.
    /// - Throws: `.malformedResponse` if it is not the requested range; the partial file is removed
    ///   if the range belongs to a different version.
    private func rest(
        of part: DownloadResumeData, in head: ResponseHead, isIdentity: Bool
    ) throws(ClientError) -> ContentRange {
        if let tag = part.entityTag ?? part.lastModified,
            let found = head.fields[part.entityTag == nil ? "Last-Modified" : "ETag"], found != tag
        {
            dropPart()
            throw ClientError(
                .network(.malformedResponse),
                message: "the server sent a range of a different file")
        }
        guard isIdentity, let range = head.fields["Content-Range"].flatMap(ContentRange.init),
            range.start == part.byteCount
        else {
            throw ClientError(
                .network(.malformedResponse),
                message: "the server sent a different range than requested")
        }
        return range
    }

    private func dropPart() {
        let part = state.withLock { state in
            defer { state.resumed = nil }
            return state.resumed
        }
        if let part { try? FileManager.default.removeItem(atPath: part.filePath) }
    }

    /// What is needed to resume a download that ended early, or nil if that is impossible.
    private static func resumeData(_ state: State) -> DownloadResumeData? {
        guard let file = state.file, let head = state.head, let url = state.url,
            state.isResumable, file.byteCount > 0
        else { return nil }
        if let part = state.resumed {
            // A 206 response need not repeat the validators of the file.
            return DownloadResumeData(
                url: url, filePath: file.path, byteCount: file.byteCount,
                entityTag: part.entityTag, lastModified: part.lastModified)
        }
        let tag = head.fields["ETag"].flatMap { $0.hasPrefix("\"") ? $0 : nil }
        let date = head.fields["Last-Modified"]
        guard tag != nil || date != nil, head.fields["Accept-Ranges"] != "none" else { return nil }
        return DownloadResumeData(
            url: url, filePath: file.path, byteCount: file.byteCount, entityTag: tag,
            lastModified: tag == nil ? date : nil)
    }
}

extension ClientError {
    /// Whether the connection failed, so that the bytes received before are good.
    fileprivate var isInterruption: Bool {
        switch kind {
        case .network(.closedEarly), .timedOut, .network(.connectFailed),
            .network(.connectionRefused), .network(.nameResolution):
            true
        default: false
        }
    }
}

extension TemporaryFile {
    /// Moves the file. Removing an existing file and creating directories happen only if the
    /// options ask for them.
    func move(to url: URL, _ options: DownloadRequest.Options) throws(ClientError) {
        let manager = FileManager.default
        let target = url.path(percentEncoded: false)
        if options.contains(.removePreviousFile), manager.fileExists(atPath: target) {
            try TemporaryFile.attempt(.removingPrevious) { try manager.removeItem(atPath: target) }
        }
        if options.contains(.createIntermediateDirectories) {
            let directory = url.deletingLastPathComponent().path(percentEncoded: false)
            try TemporaryFile.attempt(.creatingDirectories) {
                try manager.createDirectory(atPath: directory, withIntermediateDirectories: true)
            }
        }
        try TemporaryFile.attempt(.moving) { try manager.moveItem(atPath: path, toPath: target) }
    }

    private static func attempt(
        _ problem: ClientError.FileProblem, _ body: () throws -> Void
    ) throws(ClientError) {
        do {
            try body()
        } catch {
            throw ClientError(.fileSystem(problem), underlying: error)
        }
    }
}
