internal import ProxydContentCoding
internal import ProxydHTTPModel

/// Receives the body of one response: decodes its codings, enforces limits and reports progress.
struct ResponseReceiver {
    private let core: RequestCore
    private let configuration: SessionConfiguration
    private let call: any TransportCall
    private let head: ResponseHead
    private let reportsProgress: Bool
    /// The range that the body contains, or nil if it is the whole.
    private var range: ContentRange?

    private var content: [UInt8] = []
    private var kept: [UInt8] = []
    private var codedByteCount: Int64 = 0
    private var contentByteCount: Int64 = 0

    init(_ core: RequestCore, call: any TransportCall, head: ResponseHead) {
        self.core = core
        configuration = core.host.configuration
        self.call = call
        self.head = head
        reportsProgress = core.reportsDownloadProgress
    }

    /// The body as received, with content codings, for the record of the attempt.
    var recorded: Body { Body(byteCount: codedByteCount, kept: kept) }

    mutating func receive(into completion: inout RequestOutcome) async throws(ClientError) {
        let consumer = core.consumer
        let decoder = try ResponseContentDecoder(
            of: head,
            isWanted: configuration.decompressesResponses && consumer?.takesCodedBytes != true,
            limits: configuration.decodingLimits)
        try await consumer?.begin(head, isIdentity: decoder.isIdentity)
        range = consumer?.range
        let wanted = consumer?.wantsPiecesAtOnce == true || reportsProgress ? 1 : 256 * 1_024
        while true {
            await core.waitWhileSuspended()
            guard let bytes = try await call.next(atLeast: wanted) else { break }
            noteCoded(bytes, isKept: configuration.recordsBodies)
            let piece = try decoder.content(of: bytes)
            contentByteCount += Int64(piece.count)
            if let consumer {
                if !piece.isEmpty { try await consumer.take(piece) }
                if consumer.isSatisfied { break }
            } else {
                try collect(piece)
            }
        }
        if consumer?.isSatisfied == true { call.close() } else { try decoder.finish() }
        completion.receivedByteCount = contentByteCount
        if let consumer {
            try await consumer.finish(&completion)
        } else {
            completion.data = content.isEmpty ? nil : content
            if decoder.isIdentity { kept = content }
        }
    }

    /// Reads and drops a body that is not needed if it is short enough, so that the connection can
    /// be reused.
    mutating func discard(byteCountMax: Int64) async throws(ClientError) {
        while codedByteCount <= byteCountMax {
            guard let bytes = try await call.next(atLeast: 64 * 1_024) else { return }
            noteCoded(bytes, isKept: true)
        }
        call.cancel()
    }

    private mutating func collect(_ piece: [UInt8]) throws(ClientError) {
        let limit = configuration.maximumResponseByteCount
        guard content.count + piece.count <= limit else {
            throw ClientError(.responseTooLarge(limit: limit))
        }
        if content.isEmpty {
            content = piece
            if let total = totalByteCount, total > piece.count, total <= limit {
                content.reserveCapacity(Int(min(total, 16 << 20)))
            }
        } else {
            content.append(contentsOf: piece)
        }
    }

    private mutating func noteCoded(_ bytes: [UInt8], isKept: Bool) {
        codedByteCount += Int64(bytes.count)
        if isKept { kept.append(contentsOf: bytes) }
        guard reportsProgress else { return }
        core.noteDownload(
            TransferProgress(
                completedByteCount: (range?.start ?? 0) &+ codedByteCount,
                totalByteCount: range?.totalByteCount ?? totalByteCount))
    }

    /// The value of Content-Length, or nil if it is missing or invalid.
    private var totalByteCount: Int64? {
        head.fields.value(.contentLength).flatMap { Int64($0) }.flatMap { $0 >= 0 ? $0 : nil }
    }
}

/// Decodes the content codings of one response as its bytes arrive; passes the bytes on unchanged
/// if there are none.
struct ResponseContentDecoder {
    private let decoder: ContentDecoder?

    /// - Throws: `.decodingFailed` for a coding that was not requested.
    init(of head: ResponseHead, isWanted: Bool, limits: DecodingLimits) throws(ClientError) {
        guard isWanted, head.fields.first(.contentEncoding) != nil else {
            decoder = nil
            return
        }
        let value = head.fields.values(named: "Content-Encoding").joined(separator: ",")
        do throws(ContentCodingError) {
            let codings = try Coding.list(value)
            decoder = codings.isEmpty ? nil : try ContentDecoder(codings, limits: limits)
        } catch {
            throw ClientError(.decodingFailed(error))
        }
    }

    var isIdentity: Bool { decoder == nil }

    func content(of bytes: [UInt8]) throws(ClientError) -> [UInt8] {
        guard let decoder else { return bytes }
        var content: [UInt8] = []
        do throws(ContentCodingError) {
            try decoder.decode(bytes.span, into: &content)
        } catch {
            throw ClientError(.decodingFailed(error))
        }
        return content
    }

    func finish() throws(ClientError) {
        do throws(ContentCodingError) {
            try decoder?.finish()
        } catch {
            throw ClientError(.decodingFailed(error))
        }
    }
}
