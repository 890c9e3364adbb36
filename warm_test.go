package main
import (
 "testing"
 _ "github.com/VictoriaMetrics/metrics"
 _ "github.com/alecthomas/kong"
 _ "github.com/dgraph-io/ristretto/v2"
 _ "github.com/goccy/go-yaml"
 _ "github.com/pkoukk/tiktoken-go"
 _ "github.com/pkoukk/tiktoken-go-loader"
 _ "github.com/tidwall/gjson"
 _ "github.com/tidwall/sjson"
 _ "github.com/valyala/fasthttp"
 _ "go.uber.org/goleak"
 _ "golang.org/x/sync/singleflight"
 _ "golang.org/x/sync/errgroup"
 _ "modernc.org/sqlite"
)
func TestX(t *testing.T){}
