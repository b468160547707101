/// An adapter and a retrier in one type.
public protocol RequestInterceptor: RequestAdapter, RequestRetrier {}
