internal import ProxydHTTPModel

/// Collects one head or trailer section from inputs.
///
/// A section that is contained in one input is scanned in place and copied once; any other is
/// collected in `pending` while the scanner continues where it stopped, so no byte is scanned
/// twice.
struct HeadAssembler: Sendable {
    private(set) var scanner: HeadScanner
    /// The bytes of an unfinished head; of a rejected one, the bytes received so far.
    private(set) var pending: [UInt8] = []
    private let byteCountMax: Int
    private let tooLarge: WireError.Kind

    init(head role: MessageRole, limits: WireLimits) {
        scanner = .head(role, limits: limits)
        byteCountMax = limits.headByteCountMax(role)
        tooLarge = .headTooLarge
    }

    init(trailers role: MessageRole, limits: WireLimits) {
        scanner = .trailers(role, limits: limits)
        byteCountMax = limits.trailerByteCountMax
        tooLarge = .trailersTooLarge
    }

    mutating func reset() {
        scanner.reset()
        pending = []
    }

    /// Ends a head that lacks its empty line, and returns its bytes; nil if it cannot end here.
    mutating func takeUnended() -> [UInt8]? {
        guard scanner.endUnended() else { return nil }
        defer { pending = [] }
        return pending
    }

    /// Takes bytes of `input` from `offset` on; returns the section's bytes once it is complete.
    mutating func take(_ input: Span<UInt8>, from offset: inout Int) throws(WireError) -> [UInt8]? {
        pending.isEmpty
            ? try takeInPlace(input, from: &offset) : try takePending(input, from: &offset)
    }

    private mutating func takeInPlace(
        _ input: Span<UInt8>, from offset: inout Int
    ) throws(WireError) -> [UInt8]? {
        let count = min(input.count &- offset, byteCountMax &+ 1)
        let bytes = input.extracting(offset..<(offset &+ count))
        do throws(WireError) {
            if try advance(bytes) {
                offset &+= scanner.position
                return Self.copy(bytes.extracting(0..<scanner.position))
            }
        } catch {
            pending = Self.copy(bytes)
            throw error
        }
        pending = Self.copy(bytes)
        offset &+= count
        return nil
    }

    private mutating func takePending(
        _ input: Span<UInt8>, from offset: inout Int
    ) throws(WireError) -> [UInt8]? {
        // Moved out of `self`, so that there is only one reference and growing does not copy the
        // array.
        var bytes = pending
        pending = []
        let count = min(input.count &- offset, byteCountMax &+ 1 &- bytes.count)
        input.extracting(offset..<(offset &+ count)).withUnsafeBufferPointer {
            bytes.append(contentsOf: $0)
        }
        offset &+= count
        do throws(WireError) {
            if try advance(bytes.span) {
                let excess = bytes.count &- scanner.position
                bytes.removeLast(excess)
                offset &-= excess
                return bytes
            }
        } catch {
            pending = bytes
            throw error
        }
        pending = bytes
        return nil
    }

    /// Continues the scan and checks the limit, which a complete section may reach exactly.
    private mutating func advance(_ bytes: Span<UInt8>) throws(WireError) -> Bool {
        let isComplete = try scanner.scan(bytes)
        guard scanner.position <= byteCountMax else { throw scanner.failure(tooLarge) }
        return isComplete
    }

    private static func copy(_ bytes: Span<UInt8>) -> [UInt8] { bytes.array }
}
