package import ProxydHTTPModel
internal import ProxydHTTPWire

/// The parts of an exchange that `content` stores as bytes, bodies excepted.
package struct StoredHeads: Sendable {
    /// The columns of `content`, in the order in which `init(_:)` expects them.
    package static let columns = [
        "request_head", "response_head", "request_trailers", "response_trailers", "interim_heads",
        "request_head_sent", "request_head_codings", "response_head_codings", "frames",
        "response_head_sent",
    ]

    /// The request head as received.
    package var requestBytes: [UInt8]?
    /// The response head as received.
    package var responseBytes: [UInt8]?
    package var requestBytesSent: [UInt8]?
    package var responseBytesSent: [UInt8]?
    package var requestTrailers: HeaderFields?
    package var responseTrailers: HeaderFields?
    package var informational: [ResponseHead] = []
    package var requestCodings: [UInt8] = []
    package var responseCodings: [UInt8] = []
    package var frames: [UInt8] = []

    /// The heads of an exchange without any.
    package init() {}

    /// Decodes a row with these columns.
    package init(_ row: some StoredValues) {
        requestBytes = row.bytes(0)
        responseBytes = row.bytes(1)
        requestTrailers = StoredHeads.trailers(row.bytes(2))
        responseTrailers = StoredHeads.trailers(row.bytes(3))
        informational = StoredHeads.interimHeads(row.bytes(4) ?? [])
        requestBytesSent = row.bytes(5)
        requestCodings = row.bytes(6) ?? []
        responseCodings = row.bytes(7) ?? []
        frames = row.bytes(8) ?? []
        responseBytesSent = row.bytes(9)
    }

    /// The request head, or nil if it could not be parsed.
    package var requestHead: RequestHead? {
        let head = requestBytes.flatMap {
            try? HeadParser.parseRequestHead($0, limits: StoredHeads.limits)
        }
        return head?.withCodings(requestCodings)
    }
    /// The request head as forwarded, or nil if it did not differ.
    package var sentRequestHead: RequestHead? {
        requestBytesSent.flatMap {
            try? HeadParser.parseRequestHead($0, limits: StoredHeads.limits)
        }
    }
    /// The response head as the client received it, or nil if it did not differ.
    package var sentResponseHead: ResponseHead? {
        responseBytesSent.flatMap {
            try? HeadParser.parseResponseHead($0, limits: StoredHeads.limits)
        }
    }
    /// The response head, or nil if there is none.
    package var responseHead: ResponseHead? {
        let head = responseBytes.flatMap {
            try? HeadParser.parseResponseHead(
                $0, limits: StoredHeads.limits, mayLackEmptyLine: true)
        }
        return head?.withCodings(responseCodings)
    }

    /// No limits: heads that were accepted under other limits must still be readable.
    private static let limits: WireLimits = {
        var limits = WireLimits()
        limits.methodByteCountMax = .max
        limits.requestLineByteCountMax = .max
        limits.headByteCountMax = .max
        limits.fieldCountMax = .max
        limits.responseHeadByteCountMax = .max
        limits.responseFieldCountMax = .max
        limits.trailerByteCountMax = .max
        return limits
    }()

    private static func trailers(_ bytes: [UInt8]?) -> HeaderFields? {
        bytes.flatMap { try? HeadParser.parseTrailers($0, limits: limits) }
    }

    /// Parses interim heads stored one after another; each ends with its empty line.
    private static func interimHeads(_ bytes: [UInt8]) -> [ResponseHead] {
        var heads: [ResponseHead] = []
        var start = 0
        var lineStart = 0
        for index in bytes.indices where bytes[index] == 0x0A {
            let line = bytes[lineStart..<index]
            lineStart = index + 1
            guard line.isEmpty || line.elementsEqual([0x0D]) else { continue }
            if let head = try? HeadParser.parseResponseHead(
                Array(bytes[start...index]), limits: limits)
            {
                heads.append(head)
            }
            start = index + 1
        }
        return heads
    }
}
