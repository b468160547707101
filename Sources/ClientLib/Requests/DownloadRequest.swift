public import Foundation
public import ProxydHTTPModel

/// A request whose response goes to a file.
public final class DownloadRequest: ClientRequest {
    /// The machinery that all kinds share.
    public let core: RequestCore
    let file: DownloadFile

    /// How a file is moved to its destination.
    public struct Options: OptionSet, Sendable {
        /// The bits.
        public let rawValue: Int
        /// Options from bits.
        public init(rawValue: Int) { self.rawValue = rawValue }
        /// Makes the directories on the way to the destination.
        public static let createIntermediateDirectories = Options(rawValue: 1 << 0)
        /// Removes a file that is at the destination.
        public static let removePreviousFile = Options(rawValue: 1 << 1)
    }

    /// Says where a file goes, from where it lies and the head of the response. Called when the
    /// response was accepted.
    public typealias Destination =
        @Sendable (_ temporaryURL: URL, _ response: ResponseHead) -> (
            destinationURL: URL, options: Options
        )

    init(_ core: RequestCore, file: DownloadFile) {
        self.core = core
        self.file = file
    }

    /// With what the download can be gone on with, once it ended early; nil where it cannot.
    public var resumeData: DownloadResumeData? { core.read { $0.completion?.resumeData } }
    /// Where the file lies; nil while it is not complete.
    public var fileURL: URL? { core.read { $0.completion?.filePath }.map { URL(filePath: $0) } }

    /// Gives it up; with `producingResumeData`, what came so far is kept and `resumeData` tells how
    /// to go on with it.
    @discardableResult
    public func cancel(producingResumeData isWanted: Bool) -> Self {
        file.keepsPartOnCancel = isWanted
        return cancel()
    }

    /// Gives it up, and hands over with what it can be gone on with, or nil.
    @discardableResult
    public func cancel(
        byProducingResumeData handler: @escaping @Sendable (DownloadResumeData?) -> Void
    ) -> Self {
        response { handler($0.resumeData) }
        return cancel(producingResumeData: true)
    }

    /// A destination in a directory, under the name that the server suggests, else the last
    /// component of the URL's path, else its host. The name is made safe: never outside the
    /// directory, never hidden. Without `directory` it is the user's download folder.
    public static func suggestedDownloadDestination(
        in directory: URL? = nil, options: Options = []
    ) -> Destination {
        { temporaryURL, response in
            let folder = directory ?? URL(filePath: DownloadName.userDirectory)
            let fallback = temporaryURL.lastPathComponent
            let name = DownloadName.suggested(by: response) ?? fallback
            return (folder.appending(path: name), options)
        }
    }
}
