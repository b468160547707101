public import ProxydHTTPModel
internal import ProxydSystem
internal import FoundationEssentials
internal import Glibc
internal import Synchronization

/// A cookie jar that the requests of a session share.
public final class CookieStorage: Sendable {
    private let jar: Mutex<CookieJar>

    public init(_ jar: CookieJar = CookieJar()) { self.jar = Mutex(jar) }

    public var snapshot: CookieJar { jar.withLock { $0 } }

    /// Every cookie, oldest first.
    public var cookies: [Cookie] { jar.withLock { $0.all } }

    /// Stores the cookies that a response sets; returns the refusals.
    @discardableResult
    public func store(
        _ fields: HeaderFields, from url: RawURL, now: HTTPDate = .now
    ) -> [CookieRefusal] {
        guard fields.first(.setCookie) != nil else { return [] }
        return jar.withLock { $0.store(fields, from: url, now: now) }
    }

    public func setCookie(_ cookie: Cookie) { jar.withLock { $0.insert(cookie) } }

    /// The cookies for a request, in the order they are sent.
    public func cookies(for url: RawURL, now: HTTPDate = .now) -> [Cookie] {
        jar.withLock { $0.cookies(for: url, now: now) }
    }

    /// The value of a request's Cookie field, or nil if there is no cookie for it.
    public func fieldValue(for url: RawURL, now: HTTPDate = .now) -> [UInt8]? {
        jar.withLock { $0.fieldValue(for: url, now: now) }
    }

    /// Changes the whole jar in one atomic step.
    public func withJar<Result: Sendable>(
        _ body: (inout CookieJar) throws -> Result
    ) rethrows -> Result {
        try jar.withLock { try body(&$0) }
    }

    public func removeAll() { jar.withLock { $0.removeAll() } }
}

/// Stores a jar's cookies in a file that only its owner can read: JSON, with names and values in
/// Base64 because they are bytes.
enum CookieFile {
    private struct Record: Codable {
        let name: Data
        let value: Data
        let path: Data
        let domain: String
        let isHostOnly: Bool
        let expiry: Int64?
        let isSecure: Bool
        let isHTTPOnly: Bool
        let sameSite: String?
        let creation: Int64
    }

    static func data(of cookies: [Cookie]) throws -> Data {
        let records = cookies.map { cookie in
            Record(
                name: Data(cookie.name), value: Data(cookie.value), path: Data(cookie.path),
                domain: cookie.domain, isHostOnly: cookie.isHostOnly,
                expiry: cookie.expiry?.secondsSinceEpoch, isSecure: cookie.isSecure,
                isHTTPOnly: cookie.isHTTPOnly, sameSite: cookie.sameSite?.rawValue,
                creation: cookie.creation.secondsSinceEpoch)
        }
        return try JSONEncoder().encode(records)
    }

    static func cookies(of data: Data) throws -> [Cookie] {
        try JSONDecoder().decode([Record].self, from: data).map { record in
            Cookie(
                name: Array(record.name), value: Array(record.value), domain: record.domain,
                isHostOnly: record.isHostOnly, path: Array(record.path),
                expiry: record.expiry.map(HTTPDate.init(secondsSinceEpoch:)),
                isSecure: record.isSecure, isHTTPOnly: record.isHTTPOnly,
                sameSite: record.sameSite.flatMap(CookieSameSite.init(rawValue:)),
                creation: HTTPDate(secondsSinceEpoch: record.creation))
        }
    }

    /// Replaces a file atomically; it has mode 0600 from its creation on.
    static func write(_ data: Data, to path: String) throws(POSIXError) {
        do throws(SystemError) {
            try FileDraft.write(Array(data), to: path)
        } catch {
            throw POSIXError(POSIXErrorCode(rawValue: error.number) ?? .EIO)
        }
    }
}

extension CookieStorage {
    /// Creates a storage with the cookies of a file that `save(toFile:)` wrote, or an empty one if
    /// the file does not exist.
    /// - Throws: any error of reading or decoding.
    public convenience init(file path: String, now: HTTPDate = .now) throws {
        var jar = CookieJar()
        if FileManager.default.fileExists(atPath: path) {
            let data = try Data(contentsOf: URL(fileURLWithPath: path))
            for cookie in try CookieFile.cookies(of: data) { jar.insert(cookie, now: now) }
        }
        self.init(jar)
    }

    /// Writes the cookies to a file that only its owner can read; session cookies only if
    /// requested.
    /// - Throws: a `POSIXError` if the file cannot be written.
    public func save(toFile path: String, includingSession: Bool = false) throws {
        let kept = cookies.filter { includingSession || $0.expiry != nil }
        try CookieFile.write(try CookieFile.data(of: kept), to: path)
    }
}
