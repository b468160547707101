internal import ProxydHTTPModel

/// Receives one response's body: undoes its codings, keeps to the limits, reports progress.
struct ResponseIntake {
    private let core: RequestCore
    private let configuration: SessionConfiguration
    private let call: any TransportCall
    private let head: ResponseHead
    private let reportsProgress: Bool
    /// What the body is a part of; nil where it is a whole.
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

    /// The body as it came, content codings kept, for the record of the attempt.
    var recorded: Body { Body(byteCount: codedByteCount, kept: kept) }

    /// Receives to the end.
    mutating func receive(into completion: inout RequestOutcome) async throws(ClientError) {
        let consumer = core.consumer
        let undoing = try ContentUndoing(
            of: head,
            isWanted: configuration.decompressesResponses && consumer?.takesCodedOctets != true,
            limits: configuration.decodingLimits)
        try await consumer?.begin(head, isIdentity: undoing.isIdentity)
        range = consumer?.range
        let wanted = consumer?.wantsPiecesAtOnce == true || reportsProgress ? 1 : 256 * 1_024
        while true {
            await core.waitWhileSuspended()
            guard let octets = try await call.next(atLeast: wanted) else { break }
            noteCoded(octets, isKept: configuration.recordsBodies)
            let piece = try undoing.content(of: octets)
            contentByteCount += Int64(piece.count)
            if let consumer {
                if !piece.isEmpty { try await consumer.take(piece) }
                if consumer.isSatisfied { break }
            } else {
                try collect(piece)
            }
        }
        if consumer?.isSatisfied == true { call.close() } else { try undoing.finish() }
        completion.receivedByteCount = contentByteCount
        if let consumer {
            try await consumer.finish(&completion)
        } else {
            completion.data = content.isEmpty ? nil : content
            if undoing.isIdentity { kept = content }
        }
    }

    /// Receives and forgets a body that no one wants, where it is short enough to be worth it: the
    /// connection can then be used again.
    mutating func discard(byteCountMax: Int64) async throws(ClientError) {
        while codedByteCount <= byteCountMax {
            guard let octets = try await call.next(atLeast: 64 * 1_024) else { return }
            noteCoded(octets, isKept: true)
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

    private mutating func noteCoded(_ octets: [UInt8], isKept: Bool) {
        codedByteCount += Int64(octets.count)
        if isKept { kept.append(contentsOf: octets) }
        guard reportsProgress else { return }
        core.noteDownload(
            TransferProgress(
                completedByteCount: (range?.start ?? 0) &+ codedByteCount,
                totalByteCount: range?.totalByteCount ?? totalByteCount))
    }

    /// What Content-Length says; nil where it says nothing that makes sense.
    private var totalByteCount: Int64? {
        head.fields.value(.contentLength).flatMap { Int64($0) }.flatMap { $0 >= 0 ? $0 : nil }
    }
}
