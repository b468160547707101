import Foundation

extension URL {
    var bytes: [UInt8]? { FileManager.default.contents(atPath: path).map(Array.init) }
}
