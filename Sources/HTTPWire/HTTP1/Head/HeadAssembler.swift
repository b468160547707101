internal import ProxydHTTPModel

/// Collects one head or trailer section out of inputs.
///
/// One that lies whole in an input is scanned in place and copied once; one that does not is
/// gathered in `pending` while the scanner goes on where it stopped, so no octet is scanned twice.
struct HeadAssembler: Sendable {
    private(set) var scanner: HeadScanner
    /// The octets of an unfinished head; of a refused one, what was there of it.
    private(set) var pending: [UInt8] = []
    private let byteCountMax: Int
    private let tooLarge: WireError.Kind

    /// For a head.
    init(head role: MessageRole, limits: WireLimits) {
        scanner = .head(role, limits: limits)
        byteCountMax = limits.headByteCountMax(role)
        tooLarge = .headTooLarge
    }

    /// For a trailer section.
    init(trailers role: MessageRole, limits: WireLimits) {
        scanner = .trailers(role, limits: limits)
        byteCountMax = limits.trailerByteCountMax
        tooLarge = .trailersTooLarge
    }

    /// Begins again, for the next head.
    mutating func reset() {
        scanner.reset()
        pending = []
    }

    /// Ends a head that lacks its empty line, and takes its octets; nil where it cannot end here.
    mutating func takeUnended() -> [UInt8]? {
        guard scanner.endUnended() else { return nil }
        defer { pending = [] }
        return pending
    }

    /// Takes octets of `input` from `offset` on; the section's octets once it is complete.
    mutating func take(
        _ input: Span<UInt8>,
        from offset: inout Int
    ) throws(WireError) -> [UInt8]? {
        pending.isEmpty
            ? try takeInPlace(input, from: &offset) : try takePending(input, from: &offset)
    }

    private mutating func takeInPlace(
        _ input: Span<UInt8>,
        from offset: inout Int
    ) throws(WireError) -> [UInt8]? {
        let count = min(input.count &- offset, byteCountMax &+ 1)
        let octets = input.extracting(offset..<(offset &+ count))
        do throws(WireError) {
            if try advance(octets) {
                offset &+= scanner.position
                return Self.copy(octets.extracting(0..<scanner.position))
            }
        } catch {
            pending = Self.copy(octets)
            throw error
        }
        pending = Self.copy(octets)
        offset &+= count
        return nil
    }

    private mutating func takePending(
        _ input: Span<UInt8>,
        from offset: inout Int
    ) throws(WireError) -> [UInt8]? {
        // Taken out of `self` so that it stays the only reference and is never copied to grow.
        var octets = pending
        pending = []
        let count = min(input.count &- offset, byteCountMax &+ 1 &- octets.count)
        input.extracting(offset..<(offset &+ count)).withUnsafeBufferPointer {
            octets.append(contentsOf: $0)
        }
        offset &+= count
        do throws(WireError) {
            if try advance(octets.span) {
                let excess = octets.count &- scanner.position
                octets.removeLast(excess)
                offset &-= excess
                return octets
            }
        } catch {
            pending = octets
            throw error
        }
        pending = octets
        return nil
    }

    /// Lets the scanner go on and checks the limit, which a complete section may reach exactly.
    private mutating func advance(_ octets: Span<UInt8>) throws(WireError) -> Bool {
        let isComplete = try scanner.scan(octets)
        guard scanner.position <= byteCountMax else { throw scanner.failure(tooLarge) }
        return isComplete
    }

    private static func copy(_ octets: Span<UInt8>) -> [UInt8] {
        octets.withUnsafeBufferPointer { Array($0) }
    }
}
