public import Foundation
public import ProxydHTTPModel
public import ClientLib

/// What a server answered to a target. Moya calls it `Response`.
public struct TargetResponse: Sendable {
    /// The head.
    public var response: ResponseHead
    /// The body, content codings undone; empty where it went to a file.
    public var data: [UInt8]
    /// Where the body lies, for targets that download.
    public let fileURL: URL?
    /// What ClientLib has of it.
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

    /// What was sent last.
    public var request: HTTPRequest? { source.request }
    /// When everything happened.
    public var timeline: RequestTimeline { source.timeline }
    /// The status.
    public var statusCode: Int { response.status }
    /// Every attempt: redirects, answered challenges and retries included.
    public var exchanges: [Exchange] { source.exchanges }
    /// Fields that came behind the body; nil for none.
    public var trailers: HeaderFields? { exchanges.last?.response?.trailers }
}

extension TargetResponse: CustomStringConvertible {
    /// Status and size.
    public var description: String { "Status Code: \(statusCode), Data Length: \(data.count)" }
}
