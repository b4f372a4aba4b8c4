package main

import ("crypto/hmac"; "crypto/sha256"; "encoding/base64"; "strconv"; "strings"; "time")

const toleranceS = 5 * 60

// IsSigned takes the exact body, header(name) such as request.Header.Get, and the old and new secrets (whsec_...).
func IsSigned(body []byte, header func(string) string, secrets []string) bool {
	id, timestamp := header("webhook-id"), header("webhook-timestamp")
	at, err := strconv.ParseInt(timestamp, 10, 64)
	now := time.Now().Unix()
	if err != nil || at < now-toleranceS || at > now+toleranceS { return false }
	for _, secret := range secrets {
		key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
		if err != nil { continue }
		mac := hmac.New(sha256.New, key)
		mac.Write(append([]byte(id+"."+timestamp+"."), body...))
		expected := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
		for _, signature := range strings.Split(header("webhook-signature"), " ") {
			if hmac.Equal([]byte(expected), []byte(signature)) { return true }
		}
	}
	return false
}
