/// What httpbin says of the request that it got.
struct HTTPBinEcho: Decodable, Sendable {
    let method: String?
    let url: String?
    let args: [String: String]?
    let headers: [String: String]?
    let form: [String: String]?
    let files: [String: String]?
    let json: [String: String]?
    let data: String?
    let cookies: [String: String]?
}
