internal import Foundation
internal import HTTPModel
internal import Synchronization

/// Writes a response into a temporary file, and moves it where it is wanted.
///
/// ```
/// none ──begin──▶ writing ──finish──▶ complete ──settle──▶ moved
///                   └──fail──▶ none, or kept to be gone on with
/// ```
final class DownloadFile: BodyConsumer {
    private struct State: Sendable {
        var file: TemporaryFile?
        /// What an earlier download left.
        var resumed: DownloadResumeData?
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

    func prepare(_ request: inout HTTPRequest) throws(ClientError) {
        let url = request.url.description
        let resumed = state.withLock { state in
            state.url = url
            return state.resumed
        }
        // Coded octets could not be gone on with: an offset in a file is none in what was sent.
        request.fields.setIfAbsent(name: "Accept-Encoding", value: "identity")
        guard let resumed, let validator = resumed.entityTag ?? resumed.lastModified else { return }
        request.fields.set(name: "Range", value: "bytes=\(resumed.byteCount)-")
        request.fields.set(name: "If-Range", value: validator)
    }

    func begin(_ head: ResponseHead, isIdentity: Bool) async throws(ClientError) {
        let resumed = state.withLock { $0.resumed }
        let file: TemporaryFile
        if let resumed, head.status == 206, head.rangeStart == resumed.byteCount {
            file = try TemporaryFile(appendingTo: resumed.filePath, byteCount: resumed.byteCount)
        } else {
            if let resumed { try? FileManager.default.removeItem(atPath: resumed.filePath) }
            guard head.status != 206 || resumed == nil else {
                throw ClientError(
                    .network(.malformedResponse),
                    message: "the server sent another range than it was asked for")
            }
            file = try TemporaryFile()
        }
        state.withLock { state in
            state.file = file
            state.head = head
            state.isResumable = isIdentity && (head.status == 200 || head.status == 206)
        }
    }

    func take(_ octets: [UInt8]) async throws(ClientError) {
        try state.withLock { $0.file }?.write(octets)
    }

    func finish(_ completion: inout Completion) async throws(ClientError) {
        let file = state.withLock { $0.file }
        file?.close()
        completion.filePath = file?.path
    }

    func settle(_ completion: inout Completion) async throws(ClientError) {
        let (file, head) = state.withLock { state in
            state.resumed = nil
            return (state.file, state.head)
        }
        guard let destination, let file, let head else { return }
        let (url, options) = destination(URL(filePath: file.path), head)
        try file.move(to: url, options)
        completion.filePath = url.path(percentEncoded: false)
    }

    func fail(_ error: ClientError, _ completion: inout Completion) async {
        completion.filePath = nil
        let (file, data) = state.withLock { state in
            let mayKeep = error.isInterruption || state.keepsPartOnCancel
            let data = mayKeep ? DownloadFile.resumeData(state) : nil
            defer { state.file = nil }
            if let data { state.resumed = data }
            return (state.file, data)
        }
        file?.close()
        completion.resumeData = data
        if data == nil { file?.remove() }
    }

    /// With what a download that ended early can be gone on with.
    private static func resumeData(_ state: State) -> DownloadResumeData? {
        guard let file = state.file, let head = state.head, let url = state.url else {
            return state.resumed
        }
        guard state.isResumable, file.byteCount > 0 else { return nil }
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

extension ResponseHead {
    /// The first octet of the range that a 206 holds (RFC 9110 §14.4).
    fileprivate var rangeStart: Int64? {
        guard let value = fields["Content-Range"], value.lowercased().hasPrefix("bytes ") else {
            return nil
        }
        return Int64(value.dropFirst(6).prefix { $0 != "-" }.filter { $0 != " " })
    }
}
