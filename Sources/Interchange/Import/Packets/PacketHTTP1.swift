internal import ProxydHTTPModel
internal import ProxydHTTPWire

/// Decodes the HTTP/1 exchanges of a connection, in the order of its bytes.
///
/// Where bytes are missing or are not HTTP, reading continues at the next start line. The number of
/// missing messages is then unknown, so a response is assigned to the last request: a client that
/// waits for each response before its next request has no other. If the client has not waited
/// before, no more responses are matched.
struct PacketHTTP1 {
    private static let waitingCountMax = 1_000
    private static let malformedByteCountMax = 1 << 20

    /// The request that a response in progress answers.
    private enum Answered {
        /// - isSure: Whether no message between this one and the last response can be missing.
        case waiting(order: Int, isSure: Bool)
        /// A request that has not ended.
        case begun
        /// A request that was not captured.
        case unknown
    }

    private enum Missing { case nothing, perhaps, certainly }

    private let byteCountMax: Int
    private var writer: PacketExchangeWriter
    private var requests = RawMessageReader(RequestDecoder(limits: .captured))
    private var responses = RawMessageReader(ResponseDecoder(limits: .captured))
    /// Requests whose responses have not ended.
    private var waiting: [PacketRequest] = []
    private var waitingByteCount = 0
    private var requestCount = 0
    private var answered: Answered?
    /// A complete response to a request that has not ended.
    private var early: RawMessage<ResponseHead>?
    /// An exchange whose response is wrong if a request before it turns out to be missing.
    private var doubtful: (request: PacketRequest, response: RawMessage<ResponseHead>)?
    /// Whether each response answers the first of the waiting requests.
    private var isAligned = true
    /// Whether a response, or the start of one, is missing since then.
    private var missing = Missing.nothing
    private var gapCount = 0
    /// Whether the client has sent requests without waiting for responses.
    private var hasPipelined = false
    /// Whether requests after the last captured one may be missing.
    private var mayHaveAskedMore = false
    /// The number of the first request after missing ones that has no response yet; nil if none is
    /// missing.
    private var firstUnsureOrder: Int?
    /// Whether a response has come that belongs to no captured request since the last of those.
    private var hasAnsweredMissing = false
    private var seeksRequest = false
    /// Whether an invalid request, after which the next one is sought, was answered.
    private var isInvalidAnswered = false
    private var seeksResponse = false
    /// What the client sent after a CONNECT that has not been answered yet; otherwise nil.
    private var tunnelData: EarlyTunnelData?
    /// Set once the connection no longer carries HTTP.
    private var switched: PacketTunnel?
    /// Why nothing more can be read; nil if more can.
    var problem: String?

    init(_ number: Int, _ connection: PacketConnection, byteCountMax: Int) {
        self.byteCountMax = byteCountMax
        writer = PacketExchangeWriter(number, connection)
    }

    /// The destination, if the connection has become a tunnel through a proxy.
    var tunnel: (host: String, port: UInt16)? { switched?.place }

    mutating func receive(
        _ bytes: [UInt8], isFromClient: Bool, _ take: (InterchangeReader.Entry) throws -> Void
    ) throws {
        guard problem == nil else { return }
        if switched != nil {
            try switched?.receive(bytes[...], isFromClient: isFromClient, take)
        } else if tunnelData != nil, isFromClient {
            try buffer(.bytes(bytes), take)
        } else if isFromClient {
            try settleDoubt(take)
            try takeRequests(bytes, take)
        } else {
            try takeResponses(bytes, take)
        }
    }

    mutating func receive(
        gap byteCount: Int, isFromClient: Bool, _ take: (InterchangeReader.Entry) throws -> Void
    ) throws {
        guard problem == nil else { return }
        if switched != nil {
            try switched?.receive(gap: byteCount, isFromClient: isFromClient, take)
        } else if tunnelData != nil, isFromClient {
            try buffer(.gap(byteCount), take)
        } else if isFromClient {
            try skipRequests(byteCount, take)
        } else {
            try skipResponses(byteCount, take)
        }
    }

    // MARK: Requests

    private mutating func takeRequests(
        _ bytes: [UInt8], _ take: (InterchangeReader.Entry) throws -> Void
    ) throws {
        var offset = 0
        if seeksRequest {
            let begins = isInvalidAnswered && StartLines.isInvalidRequest(bytes)
            guard let start = begins ? 0 : StartLines.request(in: bytes, from: 0) else { return }
            offset = start
            seeksRequest = false
        }
        isInvalidAnswered = false
        var begunByteCount = requests.decoder.partialHead.count
        var start = offset
        while true {
            while let message = requests.next(bytes.span, from: &offset) {
                (begunByteCount, start) = (0, offset)
                try wait(.message(message), take)
                guard switched == nil, message.head.method != .connect else {
                    return try takeTunnel(Array(bytes[offset...]), take)
                }
            }
            guard let error = requests.failure else { return }
            let begun = requests.decoder.partialHead.prefix(begunByteCount)
            let message = requests.restart()
            let next = StartLines.request(in: bytes, after: message == nil ? start : offset)
            if let message {
                try wait(.message(message), take)
            } else {
                let malformed = begun + bytes[start..<(next ?? bytes.count)]
                try giveUp(malformed.prefix(PacketHTTP1.malformedByteCountMax), error, take)
            }
            guard let next else {
                seeksRequest = true
                return
            }
            offset = next
            (begunByteCount, start) = (0, offset)
        }
    }

    /// Keeps an invalid request. Bytes that are not even text were never meant to be one.
    private mutating func giveUp(
        _ bytes: ArraySlice<UInt8>, _ error: WireError,
        _ take: (InterchangeReader.Entry) throws -> Void
    ) throws {
        if let first = bytes.first, 0x21...0x7E ~= first {
            try wait(.malformed(Array(bytes)), take)
        } else {
            (isAligned, mayHaveAskedMore) = (false, true)
            try take(.failure(writer.problem(error.message)))
        }
    }

    /// Handles what the client sends after a CONNECT.
    private mutating func takeTunnel(
        _ bytes: [UInt8], _ take: (InterchangeReader.Entry) throws -> Void
    ) throws {
        guard switched == nil else {
            try switched?.receive(bytes[...], isFromClient: true, take)
            return
        }
        // The decoder does not continue after a CONNECT.
        requests.restart()
        tunnelData = EarlyTunnelData()
        try buffer(.bytes(bytes), take)
    }

    private mutating func buffer(
        _ piece: EarlyTunnelData.Piece, _ take: (InterchangeReader.Entry) throws -> Void
    ) throws {
        tunnelData?.append(piece)
        guard let tunnelData, tunnelData.lacksAnswer || tunnelData.byteCount > byteCountMax else {
            return
        }
        try releaseUnanswered(take)
    }

    /// Continues without the answer to a CONNECT: what the client sends next shows whether there is
    /// a tunnel.
    private mutating func releaseUnanswered(
        _ take: (InterchangeReader.Entry) throws -> Void
    ) throws {
        guard let tunnelData, let isTunnel = tunnelData.isTunnel else { return }
        if isTunnel, let request = waiting.last {
            waiting.removeLast()
            waitingByteCount -= request.keptByteCount
            while !waiting.isEmpty { try passUnanswered(take) }
            if case .success(.exchange(let imported)) = writer.unanswered(request) {
                switched = try PacketTunnel(
                    writer.number, writer.connection, imported, byteCountMax: byteCountMax, take)
            }
        }
        try release(take)
    }

    /// Passes the kept bytes to the tunnel, or reads them as requests if there is none.
    private mutating func release(_ take: (InterchangeReader.Entry) throws -> Void) throws {
        let pieces = tunnelData?.pieces ?? []
        tunnelData = nil
        for piece in pieces {
            switch piece {
            case .bytes(let bytes): try receive(bytes, isFromClient: true, take)
            case .gap(let byteCount): try receive(gap: byteCount, isFromClient: true, take)
            }
        }
    }

    private mutating func skipRequests(
        _ byteCount: Int, _ take: (InterchangeReader.Entry) throws -> Void
    ) throws {
        noteGap()
        switch requests.skip(byteCount) {
        case .within: return try settleDoubt(take)
        case .ends(let message, let isExact):
            try settleDoubt(take)
            try wait(.message(message), take)
            if isExact { return }
        case .between:
            try dismissDoubt(take)
            // A response that has begun is as doubtful as one that has ended.
            if case .waiting(_, isSure: false)? = answered { answered = .unknown }
        }
        if case .begun? = answered { answered = .unknown }
        if isAligned, !hasAnsweredMissing, isAnswerSure { firstUnsureOrder = requestCount }
        (isAligned, mayHaveAskedMore) = (false, true)
        seeksRequest = true
    }

    private mutating func wait(
        _ content: PacketRequest.Content, _ take: (InterchangeReader.Entry) throws -> Void
    ) throws {
        let request = PacketRequest(
            order: requestCount, content: content, at: writer.nextRequestMoment(content))
        requestCount += 1
        (mayHaveAskedMore, hasAnsweredMissing) = (false, false)
        if case .begun? = answered { answered = .waiting(order: request.order, isSure: true) }
        if let response = early {
            early = nil
            return try pass(request, response, take)
        }
        waitingByteCount += request.keptByteCount
        waiting.append(request)
        while waiting.count > PacketHTTP1.waitingCountMax || waitingByteCount > byteCountMax {
            // Responses may be missing altogether.
            (isAligned, hasPipelined) = (false, true)
            try passUnanswered(take)
        }
    }

    /// Passes on the first of the waiting requests without a response.
    private mutating func passUnanswered(_ take: (InterchangeReader.Entry) throws -> Void) throws {
        let request = waiting.removeFirst()
        waitingByteCount -= request.keptByteCount
        if case .waiting(request.order, _)? = answered { answered = .unknown }
        try take(writer.unanswered(request))
    }

    // MARK: Responses

    private mutating func takeResponses(
        _ bytes: [UInt8], _ take: (InterchangeReader.Entry) throws -> Void
    ) throws {
        var offset = 0
        if seeksResponse {
            guard let start = StartLines.response(in: bytes, from: 0) else { return }
            offset = start
            seeksResponse = false
        }
        var start = offset
        while offset < bytes.count {
            if answered == nil { try expectResponse(take) }
            let message = responses.next(bytes.span, from: &offset)
            if responses.failure != nil {
                let isInBody = responses.begun != nil
                let next = StartLines.response(in: bytes, from: isInBody ? offset : start + 1)
                try giveUpResponse(take)
                guard let next else {
                    seeksResponse = true
                    return
                }
                offset = next
                start = offset
            } else {
                guard let message else { return }
                start = offset
                try end(message, take)
                if switched != nil {
                    try switched?.receive(bytes[offset...], isFromClient: false, take)
                    return
                }
            }
        }
    }

    /// Determines which request the response that begins now answers.
    private mutating func expectResponse(_ take: (InterchangeReader.Entry) throws -> Void) throws {
        let begun = early == nil ? requests.begun : nil
        var method = HTTPMethod.get
        if let first = waiting.first, isAligned || isBeforeMissing(first) {
            // Nothing from the server is missing, so the client did not wait for this response.
            hasPipelined = hasPipelined || waiting.count > 1
            answered = .waiting(order: first.order, isSure: true)
            method = first.method
        } else if let begun, isAligned || canAlign(behind: waiting.count) {
            // A server may answer, or ask for the body, before it has the whole request.
            while !waiting.isEmpty { try passUnanswered(take) }
            (answered, isAligned, missing, firstUnsureOrder) = (.begun, true, .nothing, nil)
            method = begun.method
        } else if let last = waiting.last, !mayHaveAskedMore, !hasPartialRequest,
            canAlign(behind: waiting.count - 1)
        {
            while waiting.count > 1 { try passUnanswered(take) }
            let isSure = missing == .nothing && firstUnsureOrder == nil
            answered = .waiting(order: last.order, isSure: isSure)
            (isAligned, missing, firstUnsureOrder) = (true, .nothing, nil)
            method = last.method
        } else {
            (answered, hasAnsweredMissing, firstUnsureOrder) = (.unknown, true, nil)
            try dismissDoubt(take)
            // Earlier requests have been answered, if the client has waited.
            if !hasPipelined, begun == nil, early == nil {
                while !waiting.isEmpty { try passUnanswered(take) }
                (isAligned, missing) = (true, .nothing)
            }
        }
        responses.prepare { $0.expectResponse(toMethod: method) }
    }

    /// Whether it is known which request a response that has begun answers.
    private var isAnswerSure: Bool {
        switch answered {
        case nil, .waiting(_, isSure: true)?: true
        case .waiting?, .begun?, .unknown?: false
        }
    }

    /// Whether a request was sent before any missing one, and all responses since are present.
    private func isBeforeMissing(_ request: PacketRequest) -> Bool {
        missing == .nothing && firstUnsureOrder.map { request.order < $0 } ?? false
    }

    /// Whether the head of a request has begun; its rest is missing if it is answered.
    private var hasPartialRequest: Bool { !requests.decoder.partialHead.isEmpty }

    /// Whether a response may be assigned to the last request. If a response is missing, it must
    /// have answered a request before the last one.
    private func canAlign(behind unansweredCount: Int) -> Bool {
        !hasPipelined && (unansweredCount > 0 || missing != .certainly)
    }

    private mutating func noteGap() {
        writer.hasGaps = true
        gapCount += 1
    }

    private mutating func end(
        _ response: RawMessage<ResponseHead>, _ take: (InterchangeReader.Entry) throws -> Void
    ) throws {
        defer { answered = nil }
        switch answered {
        case .begun?: early = response
        case .waiting(_, let isSure)?:
            guard let request = takeAnswered() else { return }
            isInvalidAnswered = true
            if tunnelData != nil, waiting.isEmpty, !response.opensTunnel {
                try pass(request, response, take)
                return try release(take)
            }
            if isSure || response.opensTunnel { return try pass(request, response, take) }
            doubtful = (request, response)
        case .unknown?, nil:
            writer.pass(response)
            try take(.failure(writer.problem("a response follows no request")))
        }
    }

    private mutating func pass(
        _ request: PacketRequest, _ response: RawMessage<ResponseHead>,
        _ take: (InterchangeReader.Entry) throws -> Void
    ) throws {
        let entry = writer.exchange(request, response)
        guard response.opensTunnel, case .success(.exchange(let imported)) = entry else {
            return try take(entry)
        }
        switched = try PacketTunnel(
            writer.number, writer.connection, imported, byteCountMax: byteCountMax, take)
        try release(take)
    }

    /// Nothing before the doubtful response is missing after all.
    private mutating func settleDoubt(_ take: (InterchangeReader.Entry) throws -> Void) throws {
        guard let (request, response) = doubtful else { return }
        doubtful = nil
        try pass(request, response, take)
    }

    /// Requests may be missing at the end, which the capture cannot tell; several gaps suggest it.
    private mutating func settleLastDoubt(_ take: (InterchangeReader.Entry) throws -> Void) throws {
        if gapCount > 1 { try dismissDoubt(take) } else { try settleDoubt(take) }
    }

    private mutating func dismissDoubt(_ take: (InterchangeReader.Entry) throws -> Void) throws {
        guard let (request, response) = doubtful else { return }
        doubtful = nil
        writer.pass(response)
        try take(writer.unanswered(request))
        try take(.failure(writer.problem("a response follows no request")))
    }

    /// Passes on a response that is not HTTP, or is incomplete.
    private mutating func giveUpResponse(_ take: (InterchangeReader.Entry) throws -> Void) throws {
        let reason = responses.failure?.message ?? ""
        let head = responses.decoder.partialHead
        if let message = responses.restart() {
            try end(message, take)
        } else if let request = takeAnswered() {
            let refusal = ResponseFault.Refusal(bytes: head, reason: reason)
            try take(writer.exchange(request, refused: refusal))
        } else {
            try take(.failure(writer.problem(reason)))
        }
        (answered, isAligned, missing) = (nil, false, .perhaps)
    }

    private mutating func skipResponses(
        _ byteCount: Int, _ take: (InterchangeReader.Entry) throws -> Void
    ) throws {
        noteGap()
        switch responses.skip(byteCount) {
        case .within: return
        case .ends(let message, let isExact):
            try end(message, take)
            if isExact { return }
            // A chunked one may end anywhere.
            missing = .perhaps
            if case .exactly = message.length { missing = .certainly }
        case .between: (answered, missing) = (nil, .certainly)
        }
        isAligned = false
        seeksResponse = true
        guard answered == nil, tunnelData != nil else { return }
        tunnelData?.lacksAnswer = true
        try releaseUnanswered(take)
    }

    /// Removes the request being answered from those that wait.
    private mutating func takeAnswered() -> PacketRequest? {
        guard case .waiting(let order, _)? = answered,
            let index = waiting.firstIndex(where: { $0.order == order })
        else { return nil }
        let request = waiting.remove(at: index)
        waitingByteCount -= request.keptByteCount
        return request
    }

    // MARK: The end

    /// Passes on the rest: a response that ends with the connection, and requests without
    /// responses.
    /// - Parameter isBroken: Whether the file is broken, so that what has not ended may have
    ///   continued.
    mutating func finish(isBroken: Bool, _ take: (InterchangeReader.Entry) throws -> Void) throws {
        try releaseUnanswered(take)
        try settleLastDoubt(take)
        try switched?.finish(isBroken: isBroken, take)
        guard !isBroken, switched == nil else { return }
        if answered != nil, let last = responses.finish() { try end(last, take) }
        try settleLastDoubt(take)
        if let request = requests.finish() { try wait(.message(request), take) }
        if let early {
            self.early = nil
            writer.pass(early)
            try take(.failure(writer.problem("a response follows no request")))
        }
        while !waiting.isEmpty { try passUnanswered(take) }
    }
}
