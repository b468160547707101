public import ProxydContentCoding
internal import ProxydHTTPModel

/// Compresses request bodies that are in memory, and sets `Content-Encoding`.
public struct RequestCompressor: RequestInterceptor {
    /// What to do with a request that already has a `Content-Encoding`.
    public enum DuplicateHeaderBehavior: Sendable, Hashable {
        /// The request fails with `DuplicateHeaderError`.
        case error
        /// Compresses the body and replaces the field.
        case replace
        /// Leaves the request unchanged.
        case skip
    }

    /// The request already has a `Content-Encoding`.
    public struct DuplicateHeaderError: Error, Sendable, Hashable, CustomStringConvertible {
        public var description: String { "the request has a Content-Encoding of its own" }
    }

    public var coding: ContentEncoder.Coding
    public var duplicateHeaderBehavior: DuplicateHeaderBehavior
    private let shouldCompress: @Sendable ([UInt8]) -> Bool

    /// Creates a compressor; the default is deflate in the zlib format (RFC 1950).
    public init(
        coding: ContentEncoder.Coding = .deflate,
        duplicateHeaderBehavior: DuplicateHeaderBehavior = .error,
        shouldCompress: @escaping @Sendable ([UInt8]) -> Bool = { _ in true }
    ) {
        self.coding = coding
        self.duplicateHeaderBehavior = duplicateHeaderBehavior
        self.shouldCompress = shouldCompress
    }

    public func adapt(
        _ request: HTTPRequest, using state: RequestAdapterState
    ) async throws -> HTTPRequest {
        guard case .bytes(let bytes) = request.body, !bytes.isEmpty, shouldCompress(bytes)
        else { return request }
        if request.fields.first(.contentEncoding) != nil {
            switch duplicateHeaderBehavior {
            case .error: throw DuplicateHeaderError()
            case .skip: return request
            case .replace: break
            }
        }
        var request = request
        request.body = .bytes(try ContentEncoder.encode(bytes.span, as: coding))
        request.fields.set(name: "Content-Encoding", value: coding.rawValue)
        return request
    }
}

extension RequestInterceptor where Self == RequestCompressor {
    public static var deflateCompressor: RequestCompressor { RequestCompressor() }

    public static func deflateCompressor(
        duplicateHeaderBehavior: RequestCompressor.DuplicateHeaderBehavior = .error,
        shouldCompressBodyData: @escaping @Sendable ([UInt8]) -> Bool = { _ in true }
    ) -> RequestCompressor {
        RequestCompressor(
            duplicateHeaderBehavior: duplicateHeaderBehavior,
            shouldCompress: shouldCompressBodyData)
    }
}
