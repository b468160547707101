internal import Foundation
internal import ProxydHTTPModel
internal import Synchronization

/// Writes a response into a temporary file, and moves it where it is wanted.
///
/// ```
/// none ──begin──▶ writing ──finish──▶ complete ──settle──▶ moved
///                   └──fail──▶ none, or kept to be gone on with
/// ```
///
/// What came so far goes only with a response that takes its place, or shows that it is a part of
/// something else: an answer such as 503 leaves it.
final class DownloadFile: BodyConsumer {
    private struct State: Sendable {
        var file: TemporaryFile?
        /// The part that an earlier download or attempt left.
        var resumed: DownloadResumeData?
        /// What is added to that part; nil where the file is a new one.
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

    /// Whether what came stays where it is when the request is cancelled.
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
        // Coded bytes could not be gone on with: an offset in a file is none in what was sent.
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

    func take(_ octets: [UInt8]) async throws(ClientError) {
        try state.withLock { $0.file }?.write(octets)
    }

    func finish(_ completion: inout RequestOutcome) async throws(ClientError) {
        let (file, range) = state.withLock { ($0.file, $0.range) }
        file?.close()
        if let file, let range {
            guard file.byteCount <= range.end else {
                throw ClientError(
                    .network(.malformedResponse),
                    message: "the server sent more than the range that it told")
            }
            guard file.byteCount == range.totalByteCount else {
                throw ClientError(
                    .network(.closedEarly), phase: .receive,
                    message: "the server sent less than the rest that it was asked for")
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
                // The part was not touched; the file is an answer that is none of it.
                let isGivenUp = error.kind == .explicitlyCancelled && !keeps
                return (file, isGivenUp ? nil : state.resumed)
            }
            state.resumed =
                error.isInterruption || keeps ? DownloadFile.resumeData(state) : nil
            return (state.resumed == nil ? file : nil, state.resumed)
        }
        removed?.close()
        removed?.remove()
        completion.resumeData = data
    }

    // MARK: Parts

    /// The range that a 206 adds to a part.
    /// - Throws: `.malformedResponse` where it is none that was asked for; the part goes where it
    ///   is one of something else.
    private func rest(
        of part: DownloadResumeData, in head: ResponseHead, isIdentity: Bool
    ) throws(ClientError) -> ContentRange {
        if let tag = part.entityTag ?? part.lastModified,
            let found = head.fields[part.entityTag == nil ? "Last-Modified" : "ETag"], found != tag
        {
            dropPart()
            throw ClientError(
                .network(.malformedResponse),
                message: "the server sent a range of something else than was begun")
        }
        guard isIdentity, let range = head.fields["Content-Range"].flatMap(ContentRange.init),
            range.start == part.byteCount
        else {
            throw ClientError(
                .network(.malformedResponse),
                message: "the server sent another range than it was asked for")
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

    /// With what a download that ended early can be gone on with.
    private static func resumeData(_ state: State) -> DownloadResumeData? {
        guard let file = state.file, let head = state.head, let url = state.url,
            state.isResumable, file.byteCount > 0
        else { return nil }
        if let part = state.resumed {
            // A 206 need not repeat what tells one version of the file from another.
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
    /// Whether the way to the server broke, so that what came before is good.
    fileprivate var isInterruption: Bool {
        switch kind {
        case .network(.closedEarly), .timedOut, .network(.connectFailed),
            .network(.connectionRefused), .network(.nameResolution):
            true
        default: false
        }
    }
}
