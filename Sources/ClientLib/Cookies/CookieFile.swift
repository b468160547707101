internal import Foundation
internal import ProxydSystem

/// A jar's cookies in a file that only its owner can read: JSON, names and values in Base64 since
/// they are bytes.
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

    /// Puts a file in place as a whole, mode 0600 from its first moment on.
    static func write(_ data: Data, to path: String) throws(POSIXError) {
        do throws(SystemError) {
            try FileDraft.write(Array(data), to: path)
        } catch {
            throw POSIXError(POSIXErrorCode(rawValue: error.number) ?? .EIO)
        }
    }
}

extension CookieStorage {
    /// A storage with the cookies of a file that `save(toFile:)` wrote; an empty one where there
    /// is no file.
    /// - Throws: what reading or decoding throws.
    public convenience init(file path: String, now: HTTPDate = .now) throws {
        var jar = CookieJar()
        if FileManager.default.fileExists(atPath: path) {
            let data = try Data(contentsOf: URL(fileURLWithPath: path))
            for cookie in try CookieFile.cookies(of: data) { jar.insert(cookie, now: now) }
        }
        self.init(jar)
    }

    /// Writes the cookies into a file that only its owner can read; those that end with the
    /// session only where asked.
    /// - Throws: a `POSIXError` where the file cannot be written.
    public func save(toFile path: String, includingSession: Bool = false) throws {
        let kept = cookies.filter { includingSession || $0.expiry != nil }
        try CookieFile.write(try CookieFile.data(of: kept), to: path)
    }
}
