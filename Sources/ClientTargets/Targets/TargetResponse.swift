public import Foundation
public import ProxydHTTPModel
public import ClientLib

/// The server's response to a target. Moya calls it `Response`.
public struct TargetResponse: Sendable {
    /// The head of the response.
    public var response: ResponseHead
    /// The body with content codings removed, or empty if it was saved to a file.
    public var data: [UInt8]
    /// The file with the body, for targets that download.
    public let fileURL: URL?
    /// The underlying response of ClientLib.
    private let source: any SerializedResponse

    init?(_ response: DataResponse<[UInt8]?>) {
        guard let head = response.response else { return nil }
        self.response = head
        data = response.data ?? []
        fileURL = nil
        source = response
    }

    init?(_ response: DownloadResponse<URL?>) {
        guard let head = response.response else { return nil }
        self.response = head
        data = []
        fileURL = response.fileURL
        source = response
    }

    /// The request that was sent last, or nil if none could be sent.
    public var request: HTTPRequest? { source.request }
    /// When each step of the request happened.
    public var timeline: RequestTimeline { source.timeline }
    /// The status of the response.
    public var statusCode: Int { response.status }
    /// Every attempt, including redirects, answered challenges and retries.
    public var exchanges: [Exchange] { source.exchanges }
    /// The fields after the body, or nil for none.
    public var trailers: HeaderFields? { exchanges.last?.response?.trailers }
}

extension TargetResponse: CustomStringConvertible {
    /// The status and the size of the body.
    public var description: String { "Status Code: \(statusCode), Data Length: \(data.count)" }
}
