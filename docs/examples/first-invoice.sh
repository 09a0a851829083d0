# bash first-invoice.sh [ORDER]; needs SELLO_URL, SELLO_API_KEY, ISSUER_ID, ESTABLISHMENT_ID and EMISSION_POINT_ID.
order=${1:-1042}
field() { node -pe "JSON.parse(require('fs').readFileSync(0))['$1']"; }
sello() { curl -sS --fail-with-body --retry 5 --retry-connrefused -H "X-API-Key: $SELLO_API_KEY" "$@"; }
give_up() { echo "$*" >&2; exit 1; }

# 1. Issue. Ecuador's day; the order as the key, so that a repeated call makes no second invoice.
accepted=$(sello "$SELLO_URL/documents" -H 'Content-Type: application/json' -H "Idempotency-Key: order-$order" -d @- <<BODY
{
  "issuer_id": "$ISSUER_ID", "establishment_id": "$ESTABLISHMENT_ID", "emission_point_id": "$EMISSION_POINT_ID",
  "document_type": "01", "issue_date": "$(TZ=ECT5 date +%F)", "numeric_code": "12345678",
  "buyer_id_type": "05", "buyer_id": "1710034065", "buyer_name": "María José Peña", "buyer_email": "maria.jose@example.com",
  "lines": [{ "line_number": 1, "description": "Café tostado, 500 g", "quantity": 4, "unit_price": 12.50, "subtotal": "50.00", "tax_rate_code": "4" }],
  "subtotal": "50.00", "total_tax": "7.50", "total": "57.50",
  "taxes": [{ "tax_code": "2", "tax_rate_code": "4", "taxable_base": "50.00", "rate": 0.15, "tax_amount": "7.50" }],
  "payments": [{ "line_number": 1, "payment_method_code": "20", "total": "57.50" }]
}
BODY
) || give_up "not accepted: $accepted"
document_id=$(echo "$accepted" | field document_id)

# 2. Wait for the end. (Or name a webhook, which is called then.)
while true; do
  sleep 1
  document=$(sello "$SELLO_URL/documents/$document_id") || give_up "not seen: $document"
  status=$(echo "$document" | field status)
  echo "$status"
  case $status in
    AUTHORIZED) break ;;
    REJECTED | MANUAL_REVIEW_REQUIRED | FAILED_PERMANENT) give_up "$document" ;;
  esac
done

# 3. What the buyer receives: the authorized XML and its printed form.
sello "$SELLO_URL/documents/$document_id/xml?kind=authorized" -o invoice.xml
sello "$SELLO_URL/documents/$document_id/ride" -o invoice.pdf
